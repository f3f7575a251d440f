import { readText, tableAfter } from './documents.ts'

/** One row of docs/security-tests.md: what cannot happen, and a test that tries. */
export type Tried = { readonly sentence: string; readonly path: string; readonly title: string }

/** Every sentence of SECURITY.md that says that something cannot happen or never does, without its links. */
export function promises(): readonly string[] {
  return readText('SECURITY.md')
    .split('\n')
    .map(line => plain(line.replace(/^- /, '')))
    .flatMap(line => line.split(/(?<=[.:]) (?=[A-Z])/))
    .filter(sentence => /\b(?:cannot|never)\b/.test(sentence) && !/^#|[:*]$|\*cannot\*/.test(sentence))
    .map(sentence => sentence.replace(/^(?:But|And|So) /, ''))
}

/** The rows of docs/security-tests.md; a sentence with several tests has a row for each. */
export function tried(): readonly Tried[] {
  return tableAfter(readText('docs/security-tests.md'), 'security').map(([sentence = '', test = '']) => {
    const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? []
    return { sentence, path, title }
  })
}

function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('**', '')
}
