import type { Job } from '../../state/application/application.ts'

/**
 * Describes a job without shortening it: `pre hook (Abort): migrate up`. A phase of a Pallet application is defined by
 * its image, so only its name is shown.
 */
export function jobText({ stage, container, onFailure }: Job): string {
  if (stage === 'test' || stage === 'deploy') return stage
  return `${stage} hook (${policies[onFailure]}): ${commandText(container)}`
}

const policies: Readonly<Record<Job['onFailure'], string>> = {
  retry: 'Retry',
  abort: 'Abort',
  ignore: 'Ignore',
}

function commandText({ entrypoint = [], command = [] }: Job['container']): string {
  const words = [...entrypoint, ...command]
  return words.length === 0 ? "the image's own command" : wordsText(words)
}

/** Joins the words of a command so that each can be told from the next. */
export function wordsText(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

/** Quotes a word that a reader could take for two words, or for none. */
export function quoted(word: string): string {
  return /^[^\s"'\\,;]+$/.test(word) ? word : JSON.stringify(word)
}
