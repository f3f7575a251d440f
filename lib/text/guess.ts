import { nearest } from './nearest.ts'

/** So many unknown names are compared with all known ones. What follows is not guessed, because it would take long (G24). */
const mostGuesses = 20

/**
 * Returns a function that asks whether another name was meant, as the end of a sentence: `; did you mean "web"?`. Empty
 * if none is near.
 */
export function guessing(known: () => readonly string[]): (name: string) => string {
  let guesses = 0
  return name => {
    guesses += 1
    const meant = guesses > mostGuesses ? undefined : nearest(name, known())
    return meant === undefined ? '' : `; did you mean "${meant}"?`
  }
}
