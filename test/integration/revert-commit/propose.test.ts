import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Failure } from '../../../lib/errors.ts'
import { openSource } from '../../../lib/git/source.ts'
import { optional } from '../../../lib/object.ts'
import { commitMessage } from '../../../lib/revert-commit/message.ts'
import { diffOf, patchOf } from '../../../lib/revert-commit/patch.ts'
import { propose } from '../../../lib/revert-commit/propose.ts'
import { anySecrets } from '../../../lib/spec/any-secrets.ts'
import { strictPolicy } from '../../../lib/spec/policy/policy.ts'
import { createRepository, type Files, type Repository } from '../../support/git/repository.ts'

const { signal } = new AbortController()
const ada = { name: 'Adá <Example>', email: 'ada@example.com' }

type Back = { readonly application?: string; readonly environment?: string; readonly version?: string }

describe('a commit that brings something back', () => {
  let repository: Repository
  let stateDir: string

  beforeEach(async () => {
    repository = await createRepository()
    stateDir = await mkdtemp(join(tmpdir(), 'tallyman-store-'))
  })

  afterEach(async () => {
    await repository[Symbol.asyncDispose]()
    await rm(stateDir, { recursive: true, force: true })
  })

  async function proposed(commit: string, { application, environment = 'prod', version }: Back) {
    const { writing, snapshot } = openSource({ url: repository.bare }, stateDir)
    if (writing === undefined) throw new Error('there is nothing to write to')
    const context = {
      ...{ source: 'team/manifests', policy: strictPolicy, healthyMs: 1_000 },
      ...{ sandboxImage: 'busybox:stable', secrets: anySecrets },
    }
    return propose(
      { writing, snapshot, context },
      {
        environment,
        ...optional('application', application),
        goal: () => ({ commit, ...optional('version', version) }),
        words: told => ({
          author: ada,
          committer: ada,
          message: commitMessage(told, { who: 'ada', reason: 'it leaks\n---\ndiff of a kind' }),
          atMs: 1_800_000_000_000,
        }),
      },
      signal,
    )
  }

  /** Returns the changed lines, after git itself has applied the same change to its work tree. */
  async function back(commit: string, wish: Back): Promise<readonly string[]> {
    const { proposal } = await proposed(commit, wish)
    if (proposal === undefined) return []
    await writeFile(join(stateDir, 'mail'), patchOf(proposal))
    await repository.git('am', '--quiet', '--keep-cr', join(stateDir, 'mail'))
    const [tree = ''] = /(?<=^tree )\w+/.exec(proposal.draft.objects[0]?.content.toString() ?? '') ?? []
    expect(await repository.git('rev-parse', 'HEAD^{tree}'), 'git am leads to the same files').to.equal(tree)
    await repository.push()
    return diffOf(proposal.files)
      .split('\n')
      .filter(line => /^(?:[-+](?![-+]{2})|diff )/.test(line))
  }

  async function refusedWith(commit: string, wish: Back): Promise<string> {
    const error: unknown = await back(commit, wish).then(
      lines => new Error(`it was not refused: ${lines.join('\n')}`),
      (failure: unknown) => failure,
    )
    if (!(error instanceof Failure) || error.code !== 'rollback-refused') throw error
    return error.message.replaceAll(/\b[0-9a-f]{12}\b/g, 'COMMIT')
  }

  const manifest = (tags: Readonly<Record<string, string>>, more: object = {}) =>
    `${JSON.stringify(
      {
        ...more,
        services: Object.entries(tags).map(([name, dockerTag]) => ({ name, containers: [{ dockerTag }] })),
      },
      undefined,
      2,
    )}\n`
  const specification = (name: string, version: string, more = '') =>
    `# who: the team of ${name}\r\nname: ${name}\r\nversion: "${version}"\r\nservices:\r\n  - name: ${name}\r\n    containers:\r\n      - name: ${name}\r\n        image: team/${name}:${version}\r\n${more}`
  const prod = (text: string): Files => ({ 'environments/prod/manifest.json': text })

  it('A12 E23 changes the entry of the application, and nothing that others did since', async () => {
    const then = await repository.commit(prod(manifest({ api: '1', web: '1' })))
    await repository.commit(prod(manifest({ api: '1', web: '2' })))
    await repository.commit(prod(manifest({ cache: '1', api: '2', web: '2' }, { skipConfirmation: true })))
    expect(await back(then, { application: 'web' })).to.deep.equal([
      'diff --git a/environments/prod/manifest.json b/environments/prod/manifest.json',
      '-          "dockerTag": "2"',
      '+          "dockerTag": "1"',
    ])
    const log = await repository.git('log', '-1', '--format=%an%n%ae%n%B')
    expect(log.replaceAll(/[0-9a-f]{40}/g, 'COMMIT').split('\n')).to.deep.equal([
      'Adá Example',
      'ada@example.com',
      'Roll back web in prod to 1',
      '',
      'web is again as in commit COMMIT, instead of as in COMMIT. Its version goes from 2 to 1. Asked for by ada.',
      '',
      'it leaks',
      ' ---',
      ' diff of a kind',
    ])
  })

  it('A12 brings back the specification byte by byte, and the file that was in its place goes', async () => {
    const then = await repository.commit({
      ...prod(manifest({ api: '1' }, { services: [] }).replace('"dockerTag": "1"', '"dockerTag": "1"')),
      'environments/prod/applications/shop.yaml': `\ufeff${specification('shop', '1.0')}`,
      'environments/prod/deployments/shop.yaml':
        'name: shop\napplication: shop\nplacement: {all-sites: true}\n',
    })
    await repository.commit({
      'environments/prod/applications/shop.yaml': null,
      'environments/prod/applications/shop.yml': specification('shop', '2.0').trimEnd(),
      'environments/prod/deployments/shop.yaml':
        'name: shop\napplication: shop\n# pinned\napplication-version: "2.0" # for now\nplacement: {all-sites: true}\n',
    })
    const lines = await back(then, { application: 'shop' })
    expect(lines.filter(line => line.startsWith('diff '))).to.have.length(3)
    expect(lines)
      .to.include('-application-version: "2.0" # for now')
      .and.include('+application-version: "*" # for now')
    expect(lines).to.include('+\ufeff# who: the team of shop\r')
  })

  it('A12 names the version that was asked for in a deployment that names one, whatever the commit named', async () => {
    const files = (version: string, pin: string): Files => ({
      ...prod('{}'),
      'environments/prod/applications/shop.yaml': specification('shop', version),
      'environments/prod/deployments/shop.json': JSON.stringify({
        name: 'shop',
        application: 'shop',
        'application-version': pin,
        placement: { 'all-sites': true },
      }),
    })
    const then = await repository.commit(files('2.0', '1.0'))
    await repository.commit(files('3.0', '3.0'))
    const lines = await back(then, { application: 'shop', version: '2.0' })
    expect(lines.join('\n')).to.match(/^\+.*"application-version":"2\.0"/m)
    expect((await proposed(then, { application: 'shop' })).told.to.version).to.equal('1.0')
  })

  it('A12 finds the entry in what the manifest includes, wherever it stood then', async () => {
    const files = (web: string, own: Readonly<Record<string, string>>): Files => ({
      ...prod(manifest(own, { includes: ['parts/a.json'] })),
      'environments/prod/parts/a.json': JSON.stringify({ includes: ['../parts/b.json'], services: [] }),
      'environments/prod/parts/b.json': web,
    })
    const then = await repository.commit(files(manifest({}), { web: '1' }))
    const tabbed = '{"services":\t[ {"name": "web",\t"containers": [{"dockerTag":"2"}]} ]}'
    await repository.commit(files(tabbed, { api: '1' }))
    expect(await back(then, { application: 'web' })).to.deep.equal([
      'diff --git a/environments/prod/parts/b.json b/environments/prod/parts/b.json',
      `-${tabbed}`,
      `+${tabbed.replace('"2"', '"1"')}`,
    ])
  })

  it('A12 puts an entry back that is gone, and refuses one that was not there', async () => {
    const then = await repository.commit(prod(manifest({ api: '1', web: '1' })))
    await repository.commit(prod(manifest({ api: '1', db: '1' })))
    const lines = await back(then, { application: 'web' })
    expect(lines.filter(line => line.startsWith('-'))).to.deep.equal([])
    expect(await refusedWith(then, { application: 'db' })).to.equal('db: prod in COMMIT did not have it')
  })

  it('A12 never changes another environment: what they share is refused, and they are named', async () => {
    const files = (version: string): Files => ({
      ...prod(manifest({}, { includes: ['../common.json'] })),
      'environments/test/manifest.json': manifest({}, { includes: ['../common.json'] }),
      'environments/common.json': manifest({ web: version }),
      'applications/shop.yaml': specification('shop', version),
      'environments/prod/deployments/shop.yaml':
        'name: shop\napplication: shop\nplacement: {all-sites: true}\n',
      'environments/devel/manifest.json': '{"services": [{"name": "shop"}]}',
    })
    const then = await repository.commit(files('1'))
    await repository.commit(files('2'))
    expect(await refusedWith(then, { application: 'web' })).to.equal(
      'web cannot go back to COMMIT alone: in test, web would change',
    )
    expect(await refusedWith(then, { application: 'shop' })).to.equal(
      'shop cannot go back to COMMIT alone: in devel, shop would change',
    )
    await repository.commit({
      'environments/test/manifest.json': null,
      'environments/devel/manifest.json': null,
    })
    expect((await back(then, { application: 'web' })).length).to.equal(3)
    expect((await back(then, { application: 'shop' })).length).to.be.above(2)
  })

  it('A12 E23 leaves a shared specification alone that the environment has replaced by its own', async () => {
    const files = (shared: string, own: string, pinned: string): Files => ({
      ...prod(
        `{"services": [{"name": "shop"}, {"name": "api", "containers": [{"dockerTag": "${pinned}"}]}]}`,
      ),
      'environments/devel/manifest.json': '{"services": [{"name": "shop"}]}',
      'applications/shop.yaml': specification('shop', shared),
      'environments/prod/applications/shop.yaml': specification('shop', own),
    })
    const then = await repository.commit(files('1.0', '1.0', '1'))
    await repository.commit(files('3.0', '2.0', '2'))
    const changed = (lines: readonly string[]) =>
      lines.filter(line => line.startsWith('diff ')).map(line => line.replace(/.* b\//, ''))
    expect(changed(await back(then, { application: 'shop' }))).to.deep.equal([
      'environments/prod/applications/shop.yaml',
    ])
    expect(changed(await back(then, {}))).to.deep.equal(['environments/prod/manifest.json'])
  })

  it('A12 G11 refuses what would block an application that requires it, and not what would help one', async () => {
    const files = (web: string, range: string): Files => ({
      ...prod(
        JSON.stringify({
          services: [
            { name: 'web', version: web, containers: [{ dockerTag: web }] },
            { name: 'shop', version: '1.0.0' },
          ],
        }),
      ),
      'environments/prod/applications/shop.yaml': specification(
        'shop',
        '1.0.0',
        `requires:\r\n  web: "${range}"\r\n`,
      ),
    })
    const then = await repository.commit(files('1.0.0', '^1.0.0'))
    await repository.commit(files('2.0.0', '^2.0.0'))
    expect(await refusedWith(then, { application: 'web' })).to.equal(
      'web cannot go back to COMMIT alone: in prod, shop would be blocked',
    )
    await repository.commit(files('2.0.0', '^1.0.0'))
    expect((await back(then, { application: 'web' })).length).to.equal(3)
  })

  describe('of an application with secrets that several environments share', () => {
    const files = (tag: string, more: string): Files => ({
      'environments/prod/manifest.json': manifest({ shop: tag }),
      'environments/test/manifest.json': manifest({ shop: '1' }),
      'applications/shop.yaml': `name: shop\nservices:\n  - name: web\n    variables: [{name: PW, value-from-vault-secret: {vault: a, secret: b, key: c}}]\n    volumes: [{name: tls, vault-secret: {vault: a, secret: tls}}]\n    containers:\n      - name: web\n        image: shop:1\n        mounts: [{volume-name: tls, files: [{name: key.pem, mount-path: /etc/key.pem}]}]\n${more}`,
    })
    const table: readonly (readonly [string, string, string])[] = [
      ['the text around a secret', 'env: {URL: "db://u:${PW}@one"}', 'env: {URL: "db://u:${PW}@two"}'],
      ['the name of a secret', 'env: {PW: {secret: db/one}}', 'env: {PW: {secret: db/two}}'],
    ]
    for (const [what, one, two] of table)
      it(`E23 G16 refuses to change ${what} in another environment`, async () => {
        const then = await repository.commit(files('1', `        ${one}\n`))
        await repository.commit(files('2', `        ${two}\n`))
        expect(await refusedWith(then, { application: 'shop', environment: 'prod' })).to.equal(
          'shop cannot go back to COMMIT alone: in test, shop would change',
        )
      })

    it('E23 A45 brings back one with single files of a vault-secret', async () => {
      const then = await repository.commit(files('1', ''))
      await repository.commit(files('2', ''))
      expect((await back(then, { application: 'shop', environment: 'prod' })).slice(1)).to.deep.equal([
        '-          "dockerTag": "2"',
        '+          "dockerTag": "1"',
      ])
    })
  })

  describe('of an application that differs on single sites', () => {
    const north = 'environments/prod/sites/north'
    const south = 'environments/prod/sites/south'
    const files = (web: string, site: Files): Files => ({ ...prod(manifest({ web, api: '1' })), ...site })
    const own = (tags: Readonly<Record<string, string>>): Files => ({
      [`${north}/manifest.json`]: manifest(tags),
    })
    const changed = (lines: readonly string[]) =>
      lines.filter(line => line.startsWith('diff ')).map(line => line.replace(/.* b\//, ''))

    it('A12 A70 brings back what each site had of it, and nothing else of the site', async () => {
      const then = await repository.commit(files('1', own({ web: '7', api: '5' })))
      await repository.commit(files('2', own({ web: '8', api: '5' })))
      await repository.commit(files('2', own({ api: '6', web: '8' })))
      const lines = await back(then, { application: 'web' })
      expect(changed(lines)).to.deep.equal(['environments/prod/manifest.json', `${north}/manifest.json`])
      expect(lines.filter(line => /^[-+]/.test(line)).map(line => line.replace(/ +/, ''))).to.deep.equal([
        '-"dockerTag": "2"',
        '+"dockerTag": "1"',
        '-"dockerTag": "8"',
        '+"dockerTag": "7"',
      ])
      await repository.commit(files('1', own({ api: '6', web: '9' })))
      expect(changed(await back(then, { application: 'web' })), 'also if only that changed').to.deep.equal([
        `${north}/manifest.json`,
      ])
      expect(await back(then, { application: 'web' }), 'it is as it was').to.deep.equal([])
    })

    it('A12 A70 has what came since go, and what went come back', async () => {
      const then = await repository.commit(files('1', own({ web: '7' })))
      await repository.commit(
        files('2', {
          [`${north}/manifest.json`]: null,
          [`${south}/manifest.json`]: manifest({ web: '9', api: '9' }),
        }),
      )
      const lines = await back(then, { application: 'web' })
      expect(changed(lines)).to.have.members([
        'environments/prod/manifest.json',
        `${north}/manifest.json`,
        `${south}/manifest.json`,
      ])
      const left = await repository.git('show', `HEAD:${south}/manifest.json`)
      expect(JSON.parse(left).services.map(({ name }: { name: string }) => name)).to.deep.equal(['api'])
      await repository.commit(
        files('2', {
          [`${north}/manifest.json`]: manifest({ api: '4' }),
          [`${south}/manifest.json`]: manifest({ web: '9' }),
        }),
      )
      await back(then, { application: 'web' })
      expect(await repository.git('ls-tree', '-r', '--name-only', 'HEAD')).not.to.include(south)
      const north4 = JSON.parse(await repository.git('show', `HEAD:${north}/manifest.json`))
      expect(north4.services.map(({ name }: { name: string }) => name)).to.deep.equal(['web', 'api'])
    })

    it('A12 A70 brings back its specification and its variables there, and leaves those of others', async () => {
      const shop = (version: string, variables: string) =>
        `name: shop\nversion: "${version}"\nservices:\n  - name: shop\n    variables: [${variables}]\n    containers: [{name: shop, image: "team/shop:${version}"}]\n`
      const shared = (version: string, variables: string, of: Files): Files => ({
        ...prod('{"services": [{"name": "shop"}, {"name": "blog"}]}'),
        'environments/prod/applications/shop.yaml': shop(version, variables),
        'environments/prod/applications/blog.yaml': shop('1', '{name: A, value: a}').replaceAll(
          'shop',
          'blog',
        ),
        ...of,
      })
      const then = await repository.commit(
        shared('1', '{name: OLD, value: a}', {
          [`${north}/variables.yaml`]: '# of the north\nshop: # ours\n  OLD: "n" # kept\nblog:\n  A: b\n',
          [`${south}/applications/shop.yaml`]: shop('1.south', '{name: OLD, value: s}'),
        }),
      )
      await repository.commit(
        shared('2', '{name: NEW, value: a}', {
          [`${north}/variables.yaml`]:
            '# of the north\r\nblog: {A: c} # theirs\r\n# and ours\r\nshop: {NEW: n}\r\n',
          [`${south}/applications/shop.yaml`]: null,
          [`${south}/variables.yml`]: 'shop: {NEW: s}\n',
        }),
      )
      const lines = await back(then, { application: 'shop' })
      expect(changed(lines)).to.have.members([
        'environments/prod/applications/shop.yaml',
        `${north}/variables.yaml`,
        `${south}/applications/shop.yaml`,
        `${south}/variables.yml`,
      ])
      const { proposal } = await proposed(then, { application: 'shop' })
      expect(proposal).to.equal(undefined)
      expect(await repository.git('cat-file', 'blob', `HEAD:${north}/variables.yaml`)).to.equal(
        '# of the north\r\nblog: {A: c} # theirs\r\n# and ours\r\nshop: # ours\r\n  OLD: "n" # kept',
      )
    })

    it('A12 A70 changes once what several sites include, and refuses what another environment has with it', async () => {
      const groups = (tag: string): Files => ({
        'environments/arm.json': manifest({ web: tag }),
        [`${north}/manifest.json`]: '{"includes": ["../../../arm.json"]}',
        [`${south}/manifest.json`]: '{"includes": ["../../../arm.json"]}',
      })
      const then = await repository.commit(files('1', groups('1-arm')))
      await repository.commit(files('2', groups('2-arm')))
      expect(changed(await back(then, { application: 'web' }))).to.deep.equal([
        'environments/prod/manifest.json',
        'environments/arm.json',
      ])
      await repository.commit({
        ...files('2', groups('2-arm')),
        'environments/test/manifest.json': manifest({}, { includes: ['../arm.json'] }),
      })
      expect(await refusedWith(then, { application: 'web' })).to.equal(
        'web cannot go back to COMMIT alone: in test, web would change',
      )
    })

    it('A12 A70 goes back on the others while something else is wrong on a site', async () => {
      const then = await repository.commit(files('1', {}))
      const wrong = manifest({ wep: '1' })
      await repository.commit(files('2', { [`${north}/manifest.json`]: wrong }))
      expect(changed(await back(then, { application: 'web' }))).to.deep.equal([
        'environments/prod/manifest.json',
      ])
    })

    it('A12 A70 brings back a manifest of a site that cannot be read by now', async () => {
      const then = await repository.commit(files('1', own({ web: '7' })))
      await repository.commit(files('2', { [`${north}/manifest.json`]: '{' }))
      await back(then, { application: 'web' })
      expect(await repository.git('diff', '--stat', then, 'HEAD')).to.equal('')
    })

    it('E23 A70 goes back as a whole with all that single sites have', async () => {
      const then = await repository.commit(files('1', own({ web: '7' })))
      await repository.commit(
        files('2', { ...own({ web: '8' }), [`${south}/manifest.json`]: manifest({ api: '9' }) }),
      )
      expect(changed(await back(then, {}))).to.have.length(3)
      expect(await repository.git('diff', '--stat', then, 'HEAD')).to.equal('')
    })
  })

  it('A12 G24 writes through no symlink', async () => {
    const then = await repository.commit({
      ...prod(manifest({ api: '1' })),
      'environments/prod/applications/shop.yaml': specification('shop', '1.0'),
      'environments/prod/deployments/shop.yaml':
        'name: shop\napplication: shop\nplacement: {all-sites: true}\n',
    })
    await rm(join(repository.path, 'environments/prod/applications/shop.yaml'))
    await symlink('/etc/passwd', join(repository.path, 'environments/prod/applications/shop.yaml'))
    await repository.commit({})
    expect(await refusedWith(then, { application: 'shop' })).to.equal(
      'environments/prod/applications/shop.yaml: is a symlink in COMMIT, and no file',
    )
  })

  it('E23 brings back a whole environment: what it included and used, and nothing of others', async () => {
    const then = await repository.commit({
      ...prod(manifest({ api: '1' }, { includes: ['more.json'] })),
      'environments/prod/more.json': manifest({ web: '1' }),
      'environments/prod/applications/web.yaml': specification('web', '1'),
      'environments/test/manifest.json': manifest({ api: '1' }),
      'environments/prod/secrets.yaml': 'then',
    })
    await repository.commit({
      ...prod(manifest({ api: '2', db: '1' }, { skipConfirmation: true })),
      'environments/prod/more.json': manifest({ web: '2' }),
      'environments/prod/applications/web.yaml': specification('web', '2'),
      'environments/prod/applications/db.yaml': specification('db', '1'),
      'environments/prod/deployments/db.yaml': 'name: db\napplication: db\nplacement: {all-sites: true}\n',
      'environments/test/manifest.json': manifest({ api: '2' }),
      'environments/prod/secrets.yaml': 'now',
    })
    const lines = await back(then, {})
    expect(
      lines.filter(line => line.startsWith('diff ')).map(line => line.replace(/.* b\//, '')),
    ).to.have.members([
      'environments/prod/manifest.json',
      'environments/prod/more.json',
      'environments/prod/applications/web.yaml',
      'environments/prod/applications/db.yaml',
      'environments/prod/deployments/db.yaml',
    ])
    expect(await repository.git('show', 'HEAD:environments/prod/manifest.json')).to.equal(
      await repository.git('show', `${then}:environments/prod/manifest.json`),
    )
    expect(await back(then, {}), 'it is as it was').to.deep.equal([])
  })

  it('E23 D15 brings back an environment that cannot be read, and no application of it alone', async () => {
    const then = await repository.commit(prod(manifest({ web: '1' })))
    await repository.commit(prod('{"services": ['))
    expect(await refusedWith(then, { application: 'web' })).to.match(
      /^the manifest of environments\/prod cannot be read in COMMIT: /,
    )
    await repository.commit(prod(manifest({ web: '2' })))
    expect((await back(then, { application: 'web' })).length).to.equal(3)
    await repository.commit(prod('{"services": ['))
    expect((await back(then, {})).length).to.be.above(2)
  })

  it('E23 refuses a state that was not in order, and one without the environment', async () => {
    const before = await repository.commit({ 'environments/test/manifest.json': manifest({ web: '1' }) })
    const broken = await repository.commit(prod('{"services": ['))
    await repository.commit(prod(manifest({ web: '1' })))
    expect(await refusedWith(broken, {})).to.match(/^prod in COMMIT could not be read: /)
    expect(await refusedWith(before, { application: 'web' })).to.equal(
      'environments/prod: there is no such environment in COMMIT',
    )
  })
})
