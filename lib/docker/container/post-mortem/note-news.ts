import type { Note } from './post-mortem.ts'

/** How many reasons of one wait are noted: they may come in turn, again and again. */
const mostNews = 20

/**
 * Returns what notes why a wait goes on, each time that another reason is given; undefined: none. Once there was one, it
 * also notes that there is none any more, in the words of `otherwise`.
 */
export function noteNews(note: Note): (why: string | undefined, otherwise: string) => void {
  let last: string | undefined
  let noted = 0
  return (why, otherwise) => {
    if (why === last || noted >= mostNews) return
    last = why
    noted += 1
    note(why ?? otherwise)
  }
}
