import { formsOf } from '../../../secrets/revealing-texts.ts'
import {
  linesIn,
  passwordsIn,
  type Redact,
  redactorOf,
  shortestHidden,
} from '../../../text/redaction/redact.ts'
import { createRemembered, type Hidden, type Remembered } from './remembered.ts'

/** The secrets of one environment, which are remembered as long as the process runs. */
export type Redaction = SiteRedaction & {
  /** Those of one of its sites: what is hidden there is hidden nowhere else, and what is hidden everywhere is, too. */
  onSite(site: string): SiteRedaction
}

/** Secrets that are hidden. */
export type SiteRedaction = {
  /** Adds the secrets that there are now: each of them, its lines, its parts and their encoded forms are hidden. */
  learn(secrets: readonly string[]): void
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
 * while. If there are too many, those are forgotten that were there longest ago, and none that are there now (G22).
 */
export function createRedaction(): Redaction {
  const remembered = createRemembered()
  const everywhere = createHiding(remembered)
  const sites = new Map<string, SiteRedaction>()
  return {
    learn(secrets) {
      remembered.sayAnew()
      everywhere.learn(secrets)
    },
    learnComposed: everywhere.learnComposed,
    redact: redactorOf(() => [everywhere.forms()]),
    onSite(site) {
      const known = sites.get(site) ?? hidingAlso(everywhere, createHiding(remembered))
      sites.set(site, known)
      return known
    },
  }
}

function hidingAlso(everywhere: Hiding, { forms, ...own }: Hiding): SiteRedaction {
  return { ...own, redact: redactorOf(() => [everywhere.forms(), forms()]) }
}

type Hiding = Omit<SiteRedaction, 'redact'> & {
  /** The same list until something else is hidden. */
  forms(): readonly string[]
}

function createHiding(remembered: Remembered): Hiding {
  const secrets = new Map<string, Hidden>()
  const composed = new Map<string, Hidden>()
  let all: readonly string[] | undefined
  const add = (
    known: Map<string, Hidden>,
    text: string,
    formsFor: (text: string) => readonly string[],
  ): void => {
    const there = known.get(text)
    const forget = () => {
      known.delete(text)
      all = undefined
    }
    const hidden = there ?? { forms: formsFor(text), forget }
    if (hidden.forms.length === 0) return
    remembered.say(hidden)
    if (there !== undefined) return
    known.set(text, hidden)
    all = undefined
  }
  return {
    learn: texts => {
      for (const text of texts) add(secrets, text, formsOf)
    },
    learnComposed: text => {
      if (text.length <= longestComposed) add(composed, text, formsOfComposed)
    },
    forms: () => {
      all ??= [...secrets.values(), ...composed.values()].flatMap(({ forms }) => forms)
      return all
    },
  }
}

function formsOfComposed(text: string): readonly string[] {
  const all = [text, ...linesIn(text, shortestHidden), ...passwordsIn(text)]
  return all.filter(({ length }) => length >= shortestHidden)
}

/** Nobody prints longer ones, such as the whole configuration of the ingress. */
const longestComposed = 16_384
