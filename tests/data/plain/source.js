export const config = { type: 'init', model: "m", retry: { max: 3 } };
export function run() { return JSON.stringify({ "role": "assistant" }); }
