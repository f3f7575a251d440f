import { type Client, nothingRemembered } from '../../../lib/docker/api/client.ts'

/** An engine that answers calls like this, and that nothing else is known of. */
export function clientWith(call: Client['call']): Client {
  return {
    close: () => undefined,
    site: 'local',
    hasExternalIngress: false,
    login: async () => undefined,
    inLane: async (_, action) => action(),
    ...nothingRemembered(),
    engineVersion: () => undefined,
    looks: new Map(),
    registered: new Map(),
    knock: async () => true,
    wasAway: () => false,
    noteStarted: () => undefined,
    answeredWithin: () => false,
    noteAway: () => undefined,
    redact: text => text,
    call,
  }
}

/** An engine that answers every call by its path; what has no answer is not there. */
export function engineAnswering(answers: Readonly<Record<string, unknown>>): Client {
  return clientWith(async ({ path }) => {
    const body = answers[path]
    if (body === undefined) return { ok: false, status: 404, message: `No such thing: ${path}` }
    return { ok: true, body: JSON.parse(JSON.stringify(body)) }
  })
}
