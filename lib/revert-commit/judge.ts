import type { Fact } from './facts.ts'

/** What a commit says of one environment; `unreadable`: why it cannot be read as a whole. */
export type KnownFacts = { readonly facts: readonly Fact[] } | { readonly unreadable: string }

/** Returns what is different in one environment that should be the same, in words; empty if nothing is. Pure. */
export function differencesBetween(expected: KnownFacts, found: KnownFacts): readonly string[] {
  if ('unreadable' in found)
    return 'unreadable' in expected && expected.unreadable === found.unreadable
      ? []
      : [`could not be read: ${found.unreadable}`]
  if ('unreadable' in expected) return ['could be read again, and so would change']
  const [before, after] = [byKey(expected.facts), byKey(found.facts)]
  const differing = [...new Set([...before.keys(), ...after.keys()])].flatMap(key => {
    const [one, other] = [before.get(key), after.get(key)]
    return one?.text === other?.text ? [] : (other ?? one ?? [])
  })
  const blocked = new Set(found.facts.filter(({ what }) => what === 'blocked').map(placeOf))
  return [...new Set(differing.map(fact => differenceText(fact, blocked.has(placeOf(fact)))))]
}

/**
 * Returns what an environment should be once an application went back: the application is as it was on every site, and
 * everything else is as it is now. On a site where it is blocked before and after, it may be so. Its deployment stays as it is, too: which version that names is another question.
 * Others that are blocked may be so because of this application: for them, either is expected that is found.
 */
export function expectedFor(
  application: string,
  now: readonly Fact[],
  then: readonly Fact[],
  found: readonly Fact[],
): KnownFacts {
  const blockedIn = (facts: readonly Fact[]) =>
    new Set(facts.filter(({ what }) => what === 'blocked').map(placeOf))
  const [before, after] = [blockedIn(now), blockedIn(found)]
  const isBack = (fact: Fact) =>
    fact.about === application && ['application', 'blocked', 'idle'].includes(fact.what)
  const isFree = (fact: Fact) => before.has(placeOf(fact)) && !after.has(placeOf(fact))
  // What else is wrong in the directory of a site keeps nobody from going back on the others.
  const isStuck = (fact: Fact) =>
    isBack(fact) && fact.site !== '' && before.has(placeOf(fact)) && after.has(placeOf(fact))
  const others = (facts: readonly Fact[]) => facts.filter(fact => !isBack(fact))
  return {
    facts: [
      ...others(now).filter(fact => !isFree(fact)),
      ...others(found).filter(isFree),
      ...then.filter(fact => isBack(fact) && !isStuck(fact)),
      ...found.filter(isStuck),
    ],
  }
}

function byKey(facts: readonly Fact[]): ReadonlyMap<string, Fact> {
  return new Map(facts.map(fact => [JSON.stringify([placeOf(fact), fact.what]), fact]))
}

function placeOf({ site, about }: Fact): string {
  return JSON.stringify([site, about])
}

function differenceText({ site, about }: Fact, isBlocked: boolean): string {
  if (about === '') return '"skipConfirmation" would change'
  return `${about} would ${isBlocked ? 'be blocked' : 'change'}${site === '' ? '' : ` on ${site}`}`
}
