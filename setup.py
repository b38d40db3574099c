"""The C scanner: built where there is a compiler, done without where there is none. All else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

sources = Path("src/lastbrace/_native_c")

setup(
    ext_modules=[
        Extension(
            "lastbrace._native",
            sorted(str(path) for path in sources.glob("*.c")),
            depends=sorted(str(path) for path in sources.glob("*.h")),
            extra_compile_args=["-O3", "-fvisibility=hidden"],
            optional=True,
        )
    ]
)
