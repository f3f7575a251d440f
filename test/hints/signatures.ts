import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSource } from '../../lib/git/source.ts'
import { createGnuPg } from '../support/git/gpg.ts'
import { createRepository, type Repository } from '../support/git/repository.ts'
import { makeKey } from '../support/network/ssh-server.ts'
import { followedIn, type Room, toldOf } from './followed.ts'

/** A repository on this machine whose commits, or tags, have to be signed. */
type Scene = {
  readonly repository: Repository
  readonly directory: string
  /** Of somebody who is trusted, and of somebody who is not. */
  readonly ada: string
  readonly eve: string
  /** The file with the keys that count. */
  readonly signers: string
  url: string
  mode: 'head' | 'tag'
  ref: string | undefined
}

const { signal } = new AbortController()

/** What is told of who signed. */
const room: Room<Scene> = {
  open: async () => {
    const repository = await createRepository()
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-hints-'))
    const [ada, eve, signers] = [join(directory, 'ada'), join(directory, 'eve'), join(directory, 'signers')]
    await Promise.all([makeKey(ada), makeKey(eve)])
    await writeFile(signers, await readFile(`${ada}.pub`))
    await repository.commit({ 'a.json': '{}' }, 'Signed', { signingKey: ada })
    await repository.tag('v1', 'Version 1', { signingKey: ada })
    const url = `file://${repository.bare}`
    return { repository, directory, ada, eve, signers, url, mode: 'head', ref: undefined }
  },
  look: async ({ url, mode, ref, signers, directory }) => {
    try {
      const config = { url, verify: { mode, keys: [signers] }, ...(ref === undefined ? {} : { ref }) }
      const source = openSource(config, join(directory, 'state'))
      await source.verify?.(await source.lookUp(signal), signal)
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
  close: async ({ repository, directory }) => {
    await repository[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  },
}

const unsigned = ({ repository }: Scene) => repository.commit({ 'a.json': '1' })
const byEve = ({ repository, eve }: Scene) => repository.commit({ 'a.json': '2' }, 'Eve', { signingKey: eve })

/** As `git commit --amend --no-edit -S` of somebody who is trusted, and a push by force. */
async function amended({ repository, ada }: Scene): Promise<void> {
  await repository.git(...signing(ada), 'commit', '--quiet', '--amend', '--no-edit', '-S')
  await repository.push()
}

const taggedAnew = ({ repository, ada }: Scene) => repository.tag('v2', 'Version 2', { signingKey: ada })

function signing(key: string): readonly string[] {
  return ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${key}`]
}

async function unsignedTag(scene: Scene): Promise<void> {
  await scene.repository.tag('v2', 'Version 2')
  Object.assign(scene, { mode: 'tag', ref: 'v2' })
}

/** A commit whose signature was made for another one. */
async function forged(scene: Scene): Promise<void> {
  const { repository, directory } = scene
  const content = await repository.git('cat-file', 'commit', 'HEAD')
  const path = join(directory, 'forged')
  await writeFile(path, `${content.replace('Signed', 'Forged')}\n`)
  await repository.forcePush(await repository.git('hash-object', '-w', '-t', 'commit', path))
}

/** A signed tag under a name that it was not signed for. */
async function renamed(scene: Scene): Promise<void> {
  await scene.repository.git('update-ref', 'refs/tags/v2', 'refs/tags/v1')
  await scene.repository.git('push', '--quiet', 'origin', 'refs/tags/v2')
  Object.assign(scene, { mode: 'tag', ref: 'v2' })
}

export const inSignatures = followedIn(room, [
  {
    code: 'signature-missing',
    wrong: unsigned,
    follow: {
      'Sign the commit ("git commit --amend --no-edit -S")': amended,
    },
    says: ['the tag ("git tag -s -f")', 'push it with --force'],
  },
  {
    code: 'signature-missing',
    wrong: unsignedTag,
    follow: { 'the tag ("git tag -s -f"), and push it with --force': taggedAnew },
    says: ['Sign the commit ("git commit --amend --no-edit -S")'],
  },
  {
    code: 'signature-missing',
    hint: 'Name a "ref" under "repository", or a repository on a server: tallyman then reads commits, which can be signed, and not the working files.',
    wrong: scene => {
      scene.url = scene.repository.path
    },
    follow: {
      'Name a "ref" under "repository"': scene => {
        scene.ref = 'main'
      },
      'a repository on a server': scene => {
        scene.url = `file://${scene.repository.bare}`
      },
    },
    says: ['tallyman then reads commits, which can be signed, and not the working files'],
  },
  {
    code: 'signature-missing',
    hint: 'Set "ref" under "repository" to the name of a signed tag, or "mode" of "verify" to head.',
    wrong: scene => {
      scene.mode = 'tag'
    },
    follow: {
      'Set "ref" under "repository" to the name of a signed tag': scene => {
        scene.ref = 'v1'
      },
      '"mode" of "verify" to head': scene => {
        scene.mode = 'head'
      },
    },
  },
  {
    code: 'signature-bad',
    wrong: forged,
    follow: { 'Sign it again ("git commit --amend --no-edit -S"': amended },
    says: [
      'Find out who changed the commit or the tag after it was signed',
      '"git tag -s -f")',
      'push it with --force',
    ],
  },
  {
    code: 'signature-bad',
    wrong: renamed,
    follow: { '"git tag -s -f"), and push it with --force': taggedAnew },
    says: [
      'Find out who changed the commit or the tag after it was signed',
      'Sign it again ("git commit --amend --no-edit -S"',
    ],
  },
  {
    code: 'signature-untrusted',
    wrong: byEve,
    follow: {
      'Have it signed by somebody whose key is in the files that "verify: {keys: …}" names under "repository"':
        amended,
      'add the public key to these files if you trust it': async ({ signers, ada, eve }) =>
        writeFile(signers, `${await readFile(`${ada}.pub`)}${await readFile(`${eve}.pub`)}`),
    },
  },
  {
    code: 'signing-keys-unusable',
    wrong: ({ signers, ada }) => readFile(ada).then(key => writeFile(signers, key)),
    follow: {
      'public SSH keys': async ({ signers, ada }) => writeFile(signers, await readFile(`${ada}.pub`)),
      'lines of allowed_signers': async ({ signers, ada }) => {
        const [kind, blob] = (await readFile(`${ada}.pub`, 'utf8')).split(' ')
        await writeFile(signers, `ada@example.com ${kind} ${blob}\n`)
      },
      'public keys from "gpg --armor --export"': async ({ signers, repository }) => {
        await using gnupg = await createGnuPg()
        await gnupg.key('Ada Example <ada@example.com>')
        const openPgp = { home: gnupg.home, user: 'ada@example.com' }
        await repository.commit({ 'a.json': '3' }, 'By OpenPGP', { openPgp })
        await writeFile(signers, await gnupg.publicKey('ada@example.com'))
      },
    },
    says: ['Correct the files that "verify: {keys: …}" names under "repository"'],
  },
])
