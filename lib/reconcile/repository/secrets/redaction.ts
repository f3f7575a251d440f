import { formsOf } from '../../../secrets/forms.ts'
import { linesIn, passwordsIn, type Redact, redactor, shortestHidden } from '../../../text/redact.ts'

/** The secrets of one environment, which are remembered as long as the process runs. */
export type Redaction = SiteRedaction & {
  /** Those of one of its sites: what is hidden there is hidden nowhere else, and what is hidden everywhere is, too. */
  onSite(site: string): SiteRedaction
}

/** Secrets that are hidden. */
export type SiteRedaction = {
  /** Adds a secret of a provider: the secret, its lines, its parts and their encoded forms are hidden. */
  learn(secret: string): void
  /**
   * Adds a text that was composed of secrets, such as an address with a password in it. The whole text, its lines and
   * the password are hidden. Everything else in it that is secret was added by itself.
   */
  learnComposed(text: string): void
  /** Hides everything that was added so far. */
  readonly redact: Redact
}

/**
 * Creates an empty redaction. A changed secret is remembered, because containers that received it keep running for a
 * while. If there are too many, the one that was added longest ago is forgotten.
 */
export function createRedaction(): Redaction {
  const everywhere = createHiding()
  const sites = new Map<string, SiteRedaction>()
  return {
    ...everywhere,
    onSite(site) {
      const { forms, ...own } = createHiding()
      const known = sites.get(site) ?? {
        ...own,
        redact: (text, also = []) => everywhere.redact(text, [...forms(), ...also]),
      }
      sites.set(site, known)
      return known
    },
  }
}

function createHiding(): SiteRedaction & { forms(): readonly string[] } {
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
    forms: () => [...known.values()].flat(),
  }
}

const mostTexts = 5_000
/** Nobody prints longer ones, such as the whole configuration of the ingress. */
const longestComposed = 16_384
