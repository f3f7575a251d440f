/**
 * Node's HTTP module. An `import` of `node:http` reads all of its names, which loads the client for WebSockets: 14 MB
 * of memory and 30 ms for nothing.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')

/** Returns Node's HTTPS module. It is loaded only for TLS, which saves 15 ms with a local engine and git server. */
export const https = () => process.getBuiltinModule('node:https')
