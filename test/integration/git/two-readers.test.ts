import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { Failure, formatProblem, messageOf } from '../../../lib/errors.ts'
import { openSource } from '../../../lib/git/source.ts'
import { type ResolveContext, resolve } from '../../../lib/resolve.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { isLookedFor } from '../../../lib/state/repository/layout.ts'
import type { Snapshot } from '../../../lib/state/repository/snapshot.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { createRepository, type Repository } from '../../support/git/repository.ts'

const { signal } = new AbortController()

const manifest = '{"services": [{"name": "web"}]}'
const web = 'name: web\nversion: "1.0.0"\nservices: [{name: web, containers: [{name: web, image: web}]}]\n'
const everywhere = 'name: web\napplication: web\nplacement: {all-sites: true}\n'

/** Each character of a path is one byte. */
const plain = {
  'environments/prod/manifest.json': manifest,
  'applications/web.yaml': web,
}

describe('a commit and a directory with the same files', () => {
  let repository: Repository

  beforeEach(async () => {
    repository = await createRepository()
  })

  afterEach(() => repository[Symbol.asyncDispose]())

  /** The same files as git has them, and as they stand in a directory. */
  async function bothOf(files: Readonly<Record<string, string>>): Promise<readonly [Snapshot, Snapshot]> {
    for (const [path, text] of Object.entries({ ...plain, ...files })) {
      await mkdir(bytesOf(repository.path, dirname(path)), { recursive: true })
      await writeFile(bytesOf(repository.path, path), text)
    }
    await symlink('../applications/web.yaml', join(repository.path, 'environments/link.yaml'))
    await repository.git('add', '--all')
    await repository.git('commit', '--quiet', '-m', 'Add odd names')
    await repository.push()
    return [await newest(repository.bare, 'main'), await newest(repository.path)]
  }

  const odd: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['a deployment whose name is not UTF-8', { 'deployments/web\xff.yaml': everywhere }],
    ['an ending that is not UTF-8', { 'deployments/web.yam\xff': everywhere }],
    ['a directory below deployments that is not UTF-8', { 'deployments/\xff/web.yaml': everywhere }],
    ['an application whose name is not UTF-8', { 'applications/caf\xe9.yaml': web }],
    ['an application of an environment', { 'environments/prod/applications/web\xff.yaml': web }],
    ['two names that differ in one such byte', { 'deployments/\xfe.yaml': '', 'deployments/\xff.yaml': '' }],
    ['an environment whose name is not UTF-8', { 'environments/caf\xe9/manifest.json': manifest }],
    ['environments below a name that is not UTF-8', { '\xe9/environments/test/manifest.json': manifest }],
    ['another directory whose name is not UTF-8', { 'caf\xe9/notes/web.yaml': web }],
    ['a site whose name is not UTF-8', { 'environments/prod/sites/nor\xff/manifest.json': manifest }],
    ['a variable file whose name is not UTF-8', { 'environments/prod/sites/north/variables\xff.yaml': '' }],
    ['names of other alphabets', { 'deployments/caf\xc3\xa9.yaml': everywhere }],
    ['a backslash', { 'deployments/web\\x.yaml': everywhere, 'applications/b\\c.yaml': web }],
    ['a newline', { 'deployments/w\neb.yaml': everywhere, 'applications/web.yaml\n': web }],
    [
      'a manifest that names the file with the bad byte',
      {
        'environments/prod/manifest.json': '{"includes": ["./a\ufffd.json"], "services": []}',
        'environments/prod/a\xff.json': '{}',
      },
    ],
    [
      'a manifest that includes files of other endings',
      {
        'environments/prod/manifest.json':
          '{"includes": ["./a.manifest", "./b", "./gone.txt"], "services": []}',
        'environments/prod/a.manifest': '{}',
        'environments/prod/b': '{}',
      },
    ],
    ['a file in place of the directory of a site', { 'environments/prod/sites/north': 'x' }],
    ['variables of a site without an ending', { 'environments/prod/sites/north/variables': 'x' }],
    ['a file in place of sites', { 'environments/prod/sites': 'x' }],
    ['a file in place of deployments', { deployments: 'x' }],
  ]
  for (const [what, files] of odd)
    it(`D15 G24 are told alike, and nothing is left out: ${what}`, async () => {
      const [commit, directory] = await bothOf(files)
      expect(await toldBy(directory)).to.deep.equal(await toldBy(commit))
    })

  it('D15 G24 block an application whose deployment has a name that is not UTF-8', async () => {
    for (const snapshot of await bothOf({ 'deployments/web\xff.yaml': everywhere })) {
      const { applications, blocked } = await resolve(snapshot, prod, context)
      expect(applications.map(({ name }) => name)).to.deep.equal([])
      expect(blocked.map(({ application }) => application)).to.include('web')
    }
  })
})

const prod = { name: 'prod', directory: 'environments/prod' }

const context: ResolveContext = {
  sites: () => ({ here: new Map([['north', {}]]), elsewhere: new Set(), areAllRead: true }),
  source: 'https://git.example.com/ops/manifests',
  policy: strictPolicy,
  healthyMs: 10_000,
  sandboxImage: 'busybox:stable',
  secrets: anySecrets,
}

/** With a ref, the commit that it names is read; without one, the files as they stand there. */
async function newest(url: string, ref?: string): Promise<Snapshot> {
  const source = openSource({ url, ...(ref === undefined ? {} : { ref }) }, '/nonexistent')
  return source.snapshot(await source.lookUp(signal), signal)
}

/** What both have to tell alike: everything that is looked for, and what is wrong with it. */
async function toldBy(snapshot: Snapshot) {
  const places = await snapshot.named(isLookedFor)
  const said = places.map(async ({ path, kind }) => [path, kind, await textOf(snapshot, path)].join(' '))
  return { places: (await Promise.all(said)).sort(), wrong: await wrongIn(snapshot) }
}

async function textOf(snapshot: Snapshot, path: string): Promise<string> {
  return snapshot.read(path).catch(error => messageOf(error))
}

async function wrongIn(snapshot: Snapshot): Promise<readonly string[]> {
  try {
    const { problems, warnings } = await validateRepository(snapshot, context)
    return [...problems, ...warnings].map(formatProblem)
  } catch (error) {
    if (error instanceof Failure) return [`${error.code}: ${error.message}`]
    throw error
  }
}

function bytesOf(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}
