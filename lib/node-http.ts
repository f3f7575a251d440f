/**
 * Node's HTTP. An `import` statement of `node:http` reads all of its names, and with them loads the client for
 * WebSockets: 14 MB of memory and 30 ms that nothing here has a use for.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')

/** Node's HTTPS, loaded where something is asked over TLS: 15 ms that a local engine and git server do not need. */
export const https = () => process.getBuiltinModule('node:https')
