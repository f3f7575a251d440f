import type { EnvironmentPlace, Identity } from '../../../state/identity.ts'

/** What an environment is called, as far as this process has read it. `identify` alone says so. */
export type KnownNames = {
  /** Its name and directory in the repository. */
  place(): EnvironmentPlace | undefined
  /** The names that it may have on engines, which sites may use too. */
  called(): readonly string[]
  /** Its name on engines, and its repository. */
  identity(): Identity | undefined
  setPlace(place: EnvironmentPlace, called: readonly string[]): void
  setIdentity(identity: Identity): void
}

/** Creates the memory of an environment that was not read yet. */
export function createKnownNames(): KnownNames {
  let place: EnvironmentPlace | undefined
  let called: readonly string[] = []
  let known: Identity | undefined
  return {
    place: () => place,
    called: () => called,
    identity: () => known,
    setPlace(newPlace, names) {
      place = newPlace
      called = names
    },
    setIdentity(identity) {
      known = identity
    },
  }
}
