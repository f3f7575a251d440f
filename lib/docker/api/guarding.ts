import type { Client } from './client.ts'

/**
 * Returns a client that makes a call which may change something only once `certainly` has resolved, and fails as that
 * does: what waits in the middle of a step may do so for longer than a claim lasts (D17).
 */
export function guarding<One extends Client>(client: One, certainly: () => Promise<void>): One {
  return {
    ...client,
    async call(request, signal) {
      if (request.method !== 'GET' && request.method !== 'HEAD') await certainly()
      return client.call<never>(request, signal)
    },
  }
}
