import { linesIn, passwordsIn, type Redact, redactor, shortestHidden } from '../redact.ts'
import { formsOf } from '../secrets/forms.ts'

/** What is known to be secret in one environment, for as long as the process runs. */
export type Redaction = {
  /** A secret as a provider has it: it, its lines, its parts and what it looks like when it is encoded are hidden. */
  learn(secret: string): void
  /**
   * What was made of secrets, as an address with a password in it: hidden as a whole, its lines, and the password.
   * All else that is secret in it was learned by itself.
   */
  learnComposed(text: string): void
  /** Hides everything that was learned so far. */
  readonly redact: Redact
}

/**
 * Knows nothing at first. A secret that was changed is remembered, because containers that were given it run on for a
 * while; of very many the one that was told longest ago is forgotten.
 */
export function createRedaction(): Redaction {
  const known = new Map<string, readonly string[]>()
  let redact: Redact | undefined
  const add = (text: string, formsFor: (text: string) => readonly string[]) => {
    const forms = known.get(text)
    known.delete(text)
    known.set(text, forms ?? formsFor(text))
    const [oldest] = known.keys()
    if (known.size > mostTexts && oldest !== undefined) known.delete(oldest)
    if (forms === undefined) redact = undefined
  }
  return {
    learn: secret => add(secret, formsOf),
    learnComposed: text => {
      if (text.length <= longestComposed)
        add(text, whole =>
          [whole, ...linesIn(whole, shortestHidden), ...passwordsIn(whole)].filter(
            ({ length }) => length >= shortestHidden,
          ),
        )
    },
    redact: (text, also) => {
      redact ??= redactor([...known.values()].flat())
      return redact(text, also)
    },
  }
}

const mostTexts = 5_000
/** Longer ones, as the whole configuration of the ingress, are said by nobody. */
const longestComposed = 16_384
