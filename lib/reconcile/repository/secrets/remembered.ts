import { sumOf } from '../../../numbers.ts'

/** A text that is hidden, in all its forms. */
export type Hidden = {
  readonly forms: readonly string[]
  /** Is called when it is forgotten. */
  readonly forget: () => void
}

/** The texts that are hidden in one environment, everywhere or on one of its sites. */
export type Remembered = {
  /** Everything is said anew from now on. Forgets what was said longest ago, as far as there is too much of it. */
  sayAnew(): void
  /** A text was said, for the first time or again. */
  say(hidden: Hidden): void
}

/** What was said this time or the time before is wanted, and never forgotten. */
const recentTimes = 2
/** What is not wanted any more has no more forms and characters than this in all. */
const mostForms = 200_000
const mostCharacters = 16 * 1024 * 1024

/** Creates an empty memory. Invariant: `times` is in the order in which the texts were last said. */
export function createRemembered(): Remembered {
  const times = new Map<Hidden, number>()
  let now = 0

  function forgetOldest(): void {
    const old: Hidden[] = []
    for (const [hidden, time] of times) {
      if (time > now - recentTimes) break
      old.push(hidden)
    }
    let forms = sumOf(old, hidden => hidden.forms.length)
    let characters = sumOf(old, charactersOf)
    for (const hidden of old) {
      if (forms <= mostForms && characters <= mostCharacters) return
      forms -= hidden.forms.length
      characters -= charactersOf(hidden)
      times.delete(hidden)
      hidden.forget()
    }
  }

  return {
    sayAnew() {
      now += 1
      forgetOldest()
    },
    say(hidden) {
      times.delete(hidden)
      times.set(hidden, now)
    },
  }
}

function charactersOf({ forms }: Hidden): number {
  return sumOf(forms, ({ length }) => length)
}
