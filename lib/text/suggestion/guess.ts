import { nearest } from './nearest.ts'

/** So many unknown names are compared with all known ones, and so many known ones in all: more would take long (G24). */
const [mostGuesses, mostCompared] = [20, 50_000]

/**
 * Returns a function that asks whether another name was meant, as the end of a sentence: `; did you mean "web"?`. Empty
 * if none is near.
 */
export function guessing(known: () => readonly string[]): (name: string) => string {
  let [guesses, compared] = [0, 0]
  return name => {
    const names = known()
    guesses += 1
    compared += names.length
    const meant = guesses > mostGuesses || compared > mostCompared ? undefined : nearest(name, names)
    return meant === undefined ? '' : `; did you mean "${meant}"?`
  }
}
