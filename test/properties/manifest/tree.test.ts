import { expect } from 'chai'
import fc from 'fast-check'
import { Failure, formatProblem } from '../../../lib/errors.ts'
import { loadManifest } from '../../../lib/manifest/tree.ts'
import { type Files, snapshotOf, submodule, symlink } from '../../support/builders/snapshot.ts'
import { refusal } from '../../support/failures/refusal.ts'
import { fixture } from '../../support/files/fixture.ts'

const root = 'environments/prod/manifest.json'

describe('a manifest', () => {
  it('E3 says which services run, with everything the RFC knows', async () => {
    const { services } = await load({
      [root]: `{
  "services": [
    {
      "name": "web",
      "version": "0.1.0",
      "containers": [
        {"dockerName": "shop-web", "dockerTag": "e96ae0a", "dockerDigest": "sha256:${'0a'.repeat(32)}"}
      ]
    }
  ]
}`,
    })
    expect(services).to.deep.equal([
      {
        name: 'web',
        version: '0.1.0',
        containers: [
          {
            dockerName: 'shop-web',
            dockerTag: 'e96ae0a',
            dockerDigest: `sha256:${'0a'.repeat(32)}`,
            position: { file: root, line: 7, column: 9 },
          },
        ],
        position: { file: root, line: 3, column: 5 },
      },
    ])
  })

  it('E3 takes an empty dockerName for none', async () => {
    const { services } = await load({
      [root]: '{"services": [{"name": "web", "containers": [{"dockerName": "", "dockerTag": "1"}]}]}',
    })
    expect(services[0]?.containers?.[0]).to.not.have.property('dockerName')
  })

  it('E5 that is empty desires nothing', async () => {
    expect(await loadManifest(await fixture('empty'), root)).to.deep.equal({
      services: [],
      skipConfirmation: false,
      warnings: [],
      files: [root],
    })
  })

  it("E3 is read as in the RFC's example", async () => {
    const tree = await loadManifest(await fixture('rfc-example'), 'environments/devel/manifest.json')
    expect(tree.services.map(brief)).to.deep.equal([
      'other [1.4.2]',
      'files 2.0.1 [file-store:2.0.1]',
      'events-logger 0.1.0 [e96ae0a]',
      'events-beat 0.1.0 [e96ae0a]',
    ])
  })

  it('E25 may give each instance of a service a tag of its own', async () => {
    const tree = await loadManifest(await fixture('several-instances'), root)
    expect(tree.services.map(brief)).to.deep.equal(['worker 1.1.0 [1.1.0, 1.1.0, 1.0.0]'])
  })

  it('E15 skips the confirmation only if the root says so', async () => {
    const included = { 'environments/prod/a.json': '{"skipConfirmation": true}' }
    const asking = await load({ ...included, [root]: '{"includes": ["a.json"]}' })
    const skipping = await load({ ...included, [root]: '{"includes": ["a.json"], "skipConfirmation": true}' })
    expect([asking.skipConfirmation, skipping.skipConfirmation]).to.deep.equal([false, true])
  })

  it('that is missing is a problem of its own', async () => {
    expect(await refused({})).to.deep.equal([`${root}: no such file (file-missing)`])
  })

  it('G24 that is a symlink is refused', async () => {
    expect(await refused({ [root]: symlink })).to.deep.equal([
      `${root}: leads through a symlink (path-forbidden)`,
    ])
  })

  it('fails as the source does where the source does not answer', async () => {
    const broken = {
      ...snapshotOf({}),
      read: () => Promise.reject(new Failure('git-unreachable', 'no answer')),
    }
    expect(await refusal(() => loadManifest(broken, root))).to.deep.equal(['no answer (git-unreachable)'])
  })
})

describe('the include tree', () => {
  it('E10 E11 puts what is included first, in the order of the includes, depth first', async () => {
    const tree = await load({
      [root]: manifest(['a.json', 'b.json'], 'own'),
      'environments/prod/a.json': manifest(['a1.json', 'a2.json'], 'a'),
      'environments/prod/a1.json': manifest([], 'a1'),
      'environments/prod/a2.json': manifest([], 'a2'),
      'environments/prod/b.json': manifest([], 'b'),
    })
    expect(tree.services.map(brief)).to.deep.equal(['a1', 'a2', 'a', 'b', 'own'])
    expect(tree.files).to.deep.equal([
      'environments/prod/a1.json',
      'environments/prod/a2.json',
      'environments/prod/a.json',
      'environments/prod/b.json',
      root,
    ])
  })

  it('E12 takes a path relative to the file that includes', async () => {
    const tree = await load({
      [root]: manifest(['sub/a.json'], 'own'),
      'environments/prod/sub/a.json': manifest(['b.json', '../../../shared/c.json'], 'a'),
      'environments/prod/sub/b.json': manifest([], 'b'),
      'shared/c.json': manifest([], 'c'),
    })
    expect(tree.services.map(brief)).to.deep.equal(['b', 'c', 'a', 'own'])
  })

  it('E14 counts a file that is included twice once, at its first place, without a warning', async () => {
    const tree = await loadManifest(await fixture('includes'), root)
    expect(tree.services.map(brief)).to.deep.equal([
      'api-events [e96ae0a]',
      'monitoring [0.9.1]',
      'shop [2.3.0]',
      'payments [4.1.0]',
      'gateway [1.0.0]',
    ])
    expect(tree.warnings).to.deep.equal([])
  })

  it('E14 refuses an include cycle and names the chain', async () => {
    expect(
      await refused({
        [root]: '{"includes": ["a.json"]}',
        'environments/prod/a.json': '{"includes": ["sub/b.json"]}',
        'environments/prod/sub/b.json': '{"includes": ["../a.json"]}',
      }),
    ).to.deep.equal([
      'environments/prod/sub/b.json:1:15: /includes/0 "../a.json": closes a circle (environments/prod/a.json → environments/prod/sub/b.json → environments/prod/a.json) (include-cycle)',
    ])
  })

  it('E14 refuses a file that includes itself', async () => {
    expect(await refused({ [root]: '{"includes": ["./manifest.json"]}' })).to.deep.equal([
      `${root}:1:15: /includes/0 "./manifest.json": closes a circle (${root} → ${root}) (include-cycle)`,
    ])
  })

  it('E14 refuses a missing file, and what is no regular file of the repository, naming the chain', async () => {
    expect(
      await refused({
        [root]: '{"includes": ["a.json"]}',
        'environments/prod/a.json': `{"includes": [
  "gone.json",
  "link.json",
  "module/x.json",
  "directory.json",
  "/etc/passwd",
  "../../../x.json"
]}`,
        'environments/prod/link.json': symlink,
        'environments/prod/module': submodule,
        'environments/prod/directory.json/x.json': '{}',
      }),
    ).to.deep.equal(
      [
        `2:3: /includes/0 "gone.json": no such file (${root} → environments/prod/a.json → environments/prod/gone.json) (file-missing)`,
        `3:3: /includes/1 "link.json": leads through a symlink (${root} → environments/prod/a.json → environments/prod/link.json) (path-forbidden)`,
        `4:3: /includes/2 "module/x.json": leads into a submodule (${root} → environments/prod/a.json → environments/prod/module/x.json) (path-forbidden)`,
        `5:3: /includes/3 "directory.json": is a directory (${root} → environments/prod/a.json → environments/prod/directory.json) (file-missing)`,
        `6:3: /includes/4 "/etc/passwd": is absolute; write it relative to the file that includes it (${root} → environments/prod/a.json) (include-invalid)`,
        `7:3: /includes/5 "../../../x.json": leads out of the repository (${root} → environments/prod/a.json) (include-invalid)`,
      ].map(problem => `environments/prod/a.json:${problem}`),
    )
  })

  it('D15 reports the problems of all files at once', async () => {
    expect(await refusal(async () => loadManifest(await fixture('invalid'), root))).to.deep.equal(
      [
        `manifest.json:2:48: /includes/2 "./gone.json": no such file (${root} → environments/prod/gone.json) (file-missing)`,
        `manifest.json:2:63: /includes/3 "../../../elsewhere.json": leads out of the repository (${root}) (include-invalid)`,
        'manifest.json:6:18: /services/0/version must be a semantic version such as 0.1.0, not "1.0" (manifest-invalid)',
        'manifest.json:7:7: /services/0/container is not a known key; did you mean "containers"? (manifest-invalid)',
        'manifest.json:11:22: /services/1/containers/0/dockerTag is required (manifest-invalid)',
        `events.json:2:16: /includes/0 "./manifest.json": closes a circle (${root} → environments/prod/events.json → ${root}) (include-cycle)`,
        'events.json:4:80: /services/0/containers/0/dockerDigest must be "sha256:" and 64 hexadecimal digits in lower case, not "f48a20f4" (manifest-invalid)',
        'beat.json:3:65: a comma before "]" is not allowed in JSON (json-invalid)',
      ].map(problem => `environments/prod/${problem}`),
    )
  })

  it('G24 bounds how deep includes are nested', async () => {
    const chain = Array.from({ length: 60 }, (_, i) => [`f${i}.json`, `{"includes": ["f${i + 1}.json"]}`])
    const [problem, ...more] = await refusal(() =>
      loadManifest(snapshotOf({ ...Object.fromEntries(chain), 'f60.json': '{}' }), 'f0.json'),
    )
    expect(problem).to.match(
      /^f50\.json:1:15: \/includes\/0 "f51\.json": is included more than 50 files deep \(f0/,
    )
    expect(problem).to.match(/ → f51\.json\) \(too-many-includes\)$/)
    expect(more).to.deep.equal([])
  })

  it('G24 bounds how many files are included', async () => {
    const includes = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `f${i}.json`))
    const problems = await refused({ [root]: `{"includes": ${includes}}` })
    expect(problems).to.deep.equal([`${root}: includes more than 20000 files (too-many-includes)`])
  })
})

describe('a service that is defined twice', () => {
  it('D1 is taken whole from the later file, with a warning that names both', async () => {
    const tree = await loadManifest(await fixture('overriding'), root)
    expect(tree.services.map(brief)).to.deep.equal(['cache [7.2]', 'web [2.0.0]'])
    expect(tree.warnings.map(formatProblem)).to.deep.equal([
      `${root}:4:5: service "web" is defined here and in environments/prod/defaults.json:3; this one, the later, is taken whole (duplicate-service)`,
    ])
  })

  it('D1 warns for each definition that another one replaces', async () => {
    const tree = await load({
      [root]: manifest(['a.json', 'b.json'], 'web'),
      'environments/prod/a.json': manifest([], 'web'),
      'environments/prod/b.json': manifest([], 'web'),
    })
    expect(tree.warnings.map(({ position }) => position?.file)).to.deep.equal([
      'environments/prod/b.json',
      root,
    ])
    expect(tree.services[0]?.position.file).to.equal(root)
  })

  it('D1 in one file is an error', async () => {
    expect(
      await refused({
        [root]: '{"services": [\n  {"name": "web"},\n  {"name": "db"},\n  {"name": "web"}\n]}',
      }),
    ).to.deep.equal([
      `${root}:4:12: /services/2/name "web" stands twice in this file, first in line 2 (duplicate-service)`,
    ])
  })
})

describe('any include tree', () => {
  const size = 8
  /** For each of eight files, which ones it includes. */
  const graph = fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 4 }), {
    minLength: size,
    maxLength: size,
  })

  it('E11 E14 without a circle takes each file once, after all that it includes', async () => {
    await fc.assert(
      fc.asyncProperty(graph, async edges => {
        const later = edges.map((targets, from) => targets.filter(to => to > from))
        const tree = await loadManifest(snapshotOf(filesOf(later)), 'f0.json')
        const order = tree.files.map(numberOf)
        expect([...order].sort()).to.deep.equal(reachable(later))
        for (const from of order)
          for (const to of later[from] ?? []) expect(order.indexOf(to)).to.be.below(order.indexOf(from))
        expect(tree.services.map(({ name }) => `${name}.json`)).to.deep.equal(tree.files)
      }),
    )
  })

  it('E14 with a circle is refused, and without is not', async () => {
    await fc.assert(
      fc.asyncProperty(graph, async edges => {
        const hasCircle = reachable(edges).some(from =>
          (edges[from] ?? []).some(to => reachable(edges, to).includes(from)),
        )
        const loading = loadManifest(snapshotOf(filesOf(edges)), 'f0.json')
        const outcome = await loading.then(
          () => 'loaded',
          (failure: Failure) => failure.code,
        )
        expect(outcome).to.equal(hasCircle ? 'include-cycle' : 'loaded')
      }),
    )
  })
})

function load(files: Files) {
  return loadManifest(snapshotOf(files), root)
}

function refused(files: Files): Promise<readonly string[]> {
  return refusal(() => load(files))
}

function manifest(includes: readonly string[], service: string): string {
  return JSON.stringify({ includes, services: [{ name: service }] })
}

/** `web 1.0.0 [shop-web:1, 2]` */
function brief({ name, version, containers }: Awaited<ReturnType<typeof load>>['services'][number]): string {
  const images = containers?.map(({ dockerName, dockerTag }) =>
    dockerName === undefined ? dockerTag : `${dockerName}:${dockerTag}`,
  )
  return [name, version, images && `[${images.join(', ')}]`].filter(part => part !== undefined).join(' ')
}

function filesOf(edges: readonly (readonly number[])[]): Files {
  return Object.fromEntries(
    edges.map((targets, i) => [
      `f${i}.json`,
      manifest(
        targets.map(to => `f${to}.json`),
        `f${i}`,
      ),
    ]),
  )
}

function numberOf(file: string): number {
  return Number(/\d+/.exec(file)?.[0])
}

function reachable(edges: readonly (readonly number[])[], from = 0): readonly number[] {
  const seen = new Set([from])
  for (const file of seen) for (const to of edges[file] ?? []) seen.add(to)
  return [...seen].sort()
}
