import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { personText } from '../git/draft/draft.ts'
import type { FileChange, Proposal } from './propose.ts'

/** How much work a comparison may cost before a file counts as another one from its first to its last line (G24). */
const mostEdits = 20_000

/** Returns the change of files as git shows it, each with three lines around what differs. */
export function diffOf(files: readonly FileChange[]): string {
  return files.map(fileDiff).join('')
}

/**
 * Returns a commit as a mail that `git am --keep-cr` takes, with every byte of the files as it will be. Its beginning is
 * no part of the change, so `git apply` takes it too.
 */
export function patchOf({ draft, words, files }: Proposal): string {
  const { author, message, atMs } = words
  const [subject = '', ...body] = message.trimEnd().split('\n')
  return [
    `From ${draft.commit} Mon Sep 17 00:00:00 2001`,
    `From: ${personText(author)}`,
    `Date: ${new Date(atMs).toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=UTF-8',
    'Content-Transfer-Encoding: 8bit',
    `Subject: [PATCH] ${subject}`,
    ...body.map(line => (endsMessage.test(line) ? ` ${line}` : line)),
    '---',
    `${diffOf(files)}`,
  ].join('\n')
}

/** Lines of a message that git would take for the beginning of the change. */
const endsMessage = /^(?:---|diff |Index: )/

function fileDiff({ path, before, after }: FileChange): string {
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)]
  const head = [
    `diff --git ${from} ${to}`,
    ...(before === undefined ? ['new file mode 100644'] : []),
    ...(after === undefined ? ['deleted file mode 100644'] : []),
    `--- ${before === undefined ? '/dev/null' : withEnd(from)}`,
    `+++ ${after === undefined ? '/dev/null' : withEnd(to)}`,
  ]
  return `${head.join('\n')}\n${hunks(textOf(before), textOf(after))}`
}

function hunks(before: string, after: string): string {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: mostEdits })
  if (patch !== undefined) return formatPatch(patch, OMIT_HEADERS)
  return wholeHunk(before, after)
}

/** Too much differs to say what: every line goes, and every line comes. */
function wholeHunk(before: string, after: string): string {
  const lines = (text: string, sign: string) => {
    const all = text.split('\n')
    const isEnded = all.at(-1) === ''
    const shown = (isEnded ? all.slice(0, -1) : all).map(line => `${sign}${line}\n`)
    return {
      count: shown.length,
      text: `${shown.join('')}${isEnded ? '' : '\\ No newline at end of file\n'}`,
    }
  }
  const [old, now] = [lines(before, '-'), lines(after, '+')]
  const place = ({ count }: typeof old) => `${count === 0 ? 0 : 1},${count}`
  return `@@ -${place(old)} +${place(now)} @@\n${old.text}${now.text}`
}

function textOf(bytes: Buffer | undefined): string {
  return bytes === undefined ? '' : bytes.toString('utf8')
}

/** Git puts names with such signs in quotes, and nothing else of them changes. */
function quoted(path: string): string {
  return /["\\\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path
}

/** Behind a name with a blank, git writes a tab, so that it is known where it ends. */
function withEnd(path: string): string {
  return path.includes(' ') ? `${path}\t` : path
}
