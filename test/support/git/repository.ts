import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type NewObject, objectName } from '../../../lib/git/objects/object.ts'
import { git } from './git.ts'
import { initialise, looseName, readRef, writeIndex, writeObject, writeRef } from './git-directory.ts'
import type { GitServer } from './git-server.ts'
import { readWorkTree } from './work-tree.ts'

/** Path to content; null deletes the file. */
export type Files = Readonly<Record<string, string | null>>

export type CommitOptions = {
  /** `Name <address>` */
  readonly author?: string
  /** Path of an SSH private key to sign with. */
  readonly signingKey?: string
  /** The OpenPGP key to sign with instead. */
  readonly openPgp?: { readonly home: string; readonly user: string }
}

export type Repository = AsyncDisposable & {
  /** What a configuration names: the server's URL, or the bare repository's path without a server. */
  readonly url: string
  /** The work tree. */
  readonly path: string
  /** The bare repository that is served. */
  readonly bare: string
  /** Changes the files, commits and pushes the branch that is checked out; returns the commit. */
  commit(files: Files, message?: string, options?: CommitOptions): Promise<string>
  /** Commits and pushes the opposite of a commit. */
  revert(commit: string): Promise<string>
  /** Creates the branch if need be, checks it out and pushes it. */
  branch(name: string): Promise<void>
  /** Tags the commit that is checked out, annotated when there is a message, and pushes the tag, wherever it was. */
  tag(name: string, message?: string, options?: CommitOptions): Promise<void>
  /** Makes the branch point at this commit, whatever it was, and pushes that by force. */
  forcePush(commit: string): Promise<void>
  /** The commit a ref of the served repository points at. */
  head(ref?: string): Promise<string>
  /** Any other git command in the work tree; pushes nothing. */
  git(...args: readonly string[]): Promise<string>
  /** Pushes what `git` committed. */
  push(): Promise<void>
}

/**
 * A git repository with a work tree, on branch `main`, empty at first; served over HTTP when a server is given.
 * Pushes go past the server, so that its list holds only what the tested code asked for. That of a new commit copies its
 * objects and sets the ref, which costs a tenth of what `git push` does. A commit of plain files is made here, and is
 * what git makes: its processes cost ten times as much.
 */
export async function createRepository(server?: GitServer): Promise<Repository> {
  const directory = await mkdtemp(join(tmpdir(), 'tallyman-repository-'))
  const path = join(directory, 'work')
  const own = join(path, '.git')
  const name = `${randomBytes(6).toString('hex')}.git`
  const bare = join(server?.directory ?? directory, name)
  initialise(bare, '[core]\n\tbare = true\n[http]\n\treceivepack = true\n')
  initialise(own, `[gc]\n\tauto = 0\n[remote "origin"]\n\turl = ${bare}\n`)

  // One second apart, so that the order of commits shows in their times.
  let seconds = 0
  // Once a test has used git itself, settings, refs and the index may be such as only git knows.
  let isPlain = true
  const run = (args: readonly string[], options: CommitOptions = {}) => {
    seconds += 1
    const home: Record<string, string> =
      options.openPgp === undefined ? {} : { GNUPGHOME: options.openPgp.home }
    return git(path, [...signing(options), ...args], { ...identity(seconds, options.author), ...home })
  }
  const sent = new Set<string>()
  const publish = async (ref: string) => {
    const oid = (await readFile(join(own, ref), 'utf8')).trimEnd()
    if (sent.has(looseName(oid))) {
      // It may have been pruned there since, which git finds out.
      await git(path, ['push', '--quiet', '--force', 'origin', ref])
      return oid
    }
    await send(join(own, 'objects'), join(bare, 'objects'), sent)
    writeRef(bare, ref, oid)
    return oid
  }
  const branchInUse = async () => (await readFile(join(own, 'HEAD'), 'utf8')).slice('ref: '.length).trimEnd()
  const push = async () => publish(await branchInUse())

  /** Returns undefined, and does nothing, if it takes git itself. */
  async function commitHere(message: string, author = usualAuthor): Promise<string | undefined> {
    const tree = isPlain && isTidy(message) && isPlainAuthor(author) ? readWorkTree(path) : undefined
    if (tree === undefined) return undefined
    seconds += 1
    const ref = await branchInUse()
    const commit = commitOf(tree.tree, readRef(own, ref), `${author} ${secondsOf(seconds)}`, message)
    for (const object of [...tree.objects, commit]) {
      const file = looseName(object.oid)
      if (sent.has(file)) continue
      for (const place of [own, bare]) writeObject(place, object)
      sent.add(file)
    }
    writeIndex(own, tree.files)
    for (const place of [own, bare]) writeRef(place, ref, commit.oid)
    return commit.oid
  }

  return {
    url: server === undefined ? bare : `${server.url}/${name}`,
    path,
    bare,
    async commit(files, message = 'Change the manifests', options = {}) {
      for (const [file, content] of Object.entries(files)) await put(join(path, file), content)
      const isSigned = signing(options).length > 0
      const made = isSigned ? undefined : await commitHere(message, options.author)
      if (made !== undefined) return made
      await git(path, ['add', '--all'])
      const sign = isSigned ? '--gpg-sign' : '--no-gpg-sign'
      await run(['commit', '--quiet', '--allow-empty', sign, '-m', message], options)
      return push()
    },
    async revert(commit) {
      await run(['revert', '--no-edit', commit])
      return push()
    },
    async branch(branch) {
      const known = await git(path, ['branch', '--list', branch])
      await git(path, ['checkout', '--quiet', ...(known === '' ? ['-b'] : []), branch])
      await push()
    },
    async tag(tag, message, options = {}) {
      const signed = signing(options).length === 0 ? [] : ['--sign']
      await run(
        ['tag', '--force', ...signed, ...(message === undefined ? [] : ['-m', message]), tag],
        options,
      )
      await publish(`refs/tags/${tag}`)
    },
    async forcePush(commit) {
      await git(path, ['reset', '--quiet', '--hard', commit])
      await push()
    },
    head: (ref = 'main') => git(bare, ['rev-parse', ref]),
    git: (...args) => {
      isPlain = false
      return run(args)
    },
    async push() {
      await push()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([directory, bare].map(one => rm(one, { recursive: true, force: true })))
    },
  }
}

function commitOf(tree: string, parent: string | undefined, who: string, message: string): NewObject {
  const lines = [
    `tree ${tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${who}`,
    `committer ${who}`,
    '',
    `${message}\n`,
  ]
  const content = Buffer.from(lines.join('\n'))
  return { type: 'commit', oid: objectName('commit', content), content }
}

/** Whether git takes a message as it is. */
function isTidy(message: string): boolean {
  return /^\S/.test(message) && !/\0|\s(?=\n)|\s$/.test(message.replaceAll(/(?<=\S\n)\n(?=\S)/g, ''))
}

/** Whether git takes an author as it is. */
function isPlainAuthor(author: string): boolean {
  return /^[A-Z][a-z]+( [A-Z][a-z]+)* <[a-z]+@[a-z]+(\.[a-z]+)+>$/.test(author)
}

/** Copies the objects that were not sent before. */
async function send(from: string, to: string, sent: Set<string>): Promise<void> {
  const found = await readdir(from, { recursive: true, withFileTypes: true })
  const fresh = found
    .filter(entry => entry.isFile())
    .map(entry => relative(from, join(entry.parentPath, entry.name)))
    .filter(name => !sent.has(name))
  for (const name of fresh) {
    await mkdir(join(to, dirname(name)), { recursive: true })
    await copyFile(join(from, name), join(to, name))
    sent.add(name)
  }
}

async function put(path: string, content: string | null): Promise<void> {
  if (content === null) return rm(path, { force: true, recursive: true })
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

function signing({ signingKey, openPgp }: CommitOptions): readonly string[] {
  if (openPgp !== undefined) return ['-c', 'gpg.format=openpgp', '-c', `user.signingKey=${openPgp.user}`]
  if (signingKey === undefined) return []
  return ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${signingKey}`]
}

const usualAuthor = 'Ada Example <ada@example.com>'

function secondsOf(seconds: number): string {
  return `${Date.UTC(2026, 0, 1) / 1000 + seconds} +0000`
}

function identity(seconds: number, author = usualAuthor): Record<string, string> {
  const [, name = author, email = ''] = /^(.*?) *<(.*)>$/.exec(author) ?? []
  const date = secondsOf(seconds)
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
    GIT_COMMITTER_DATE: date,
  }
}
