import type { Redact } from '../../text/redaction/redact.ts'
import type { Client } from './client.ts'

/**
 * Returns a client that hides secrets: in the output of containers, and in what the engine says when it refuses, because
 * it may repeat what it was given (G16).
 */
export function redacting<One extends Client>(client: One, redact: Redact): One {
  return {
    ...client,
    redact,
    async call(request, signal) {
      const answer = await client.call<never>(request, signal)
      return answer.ok ? answer : { ...answer, message: redact(answer.message) }
    },
  }
}
