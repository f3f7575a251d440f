import { expect } from 'chai'
import { limits } from '../../../lib/limits.ts'
import { validateRepository } from '../../../lib/validate/repository.ts'
import { type Files, snapshotOf } from '../../support/builders/snapshot.ts'
import {
  containers,
  context,
  problemsIn,
  repeated,
  specification,
} from '../../support/files/validated-repositories.ts'

const mebi = 1024 * 1024

/** What a small file can be made to mean; each is refused before it is expanded, so that all of this is quick. */
describe('G24 small files do not become huge', () => {
  const applications: readonly (readonly [string, object, string])[] = [
    [
      '250 ranges of all ports',
      { ports: repeated(250, () => '1-65535:1-65535') },
      'more than 4096 ports, where each port of a range counts; publish fewer, or use "network: {host: true}"',
    ],
    [
      'one line of ranges for each instance',
      {
        network: {
          'ingress-ip-per-instance': {
            protocols: [{ name: 'tcp', 'port-ranges': '1-65535,'.repeat(9_999) }],
          },
        },
      },
      'more than 4096 ports, where each port of a range counts; publish fewer, or use "network: {host: true}"',
    ],
    [
      '1,000 files that 150 mounts repeat',
      {
        volumes: [
          {
            name: 'v',
            'config-map': { items: repeated(1_000, index => ({ name: `f${index}`, data: 'x' })) },
          },
        ],
        mounts: repeated(150, index => ({ 'volume-name': 'v', 'mount-path': `/m${index}` })),
      },
      'more than 4096 files, where each mount counts; mount fewer of them, or put them into the image',
    ],
  ]
  for (const [what, parts, reason] of applications)
    it(`refuses an application of ${what}, and no other`, async () => {
      expect(await problemsIn({ 'applications/bad.json': specification(parts) })).to.deep.equal([
        `applications/bad.json: /services/0 brings the application to ${reason}`,
      ])
    })

  it('refuses an application of 256 services with 1,000 replicas', async () => {
    const services = repeated(256, index => ({ name: `s${index}`, replicas: 1_000, containers }))
    expect(
      await problemsIn({ 'applications/bad.json': JSON.stringify({ name: 'bad', services }) }),
    ).to.deep.equal([
      'applications/bad.json: /services/1 brings the application to more than 1000 instances; divide it into several applications',
    ])
  })

  it('refuses a manifest whose files include one another too often, and reads no further', async () => {
    const includes = JSON.stringify({ includes: repeated(1_000, index => `gone${index}.json`) })
    const files = repeated(500, index => [`environments/prod/f${index}.json`, includes])
    const snapshot = snapshotOf({
      ...Object.fromEntries(files),
      'environments/prod/manifest.json': JSON.stringify({
        includes: repeated(500, index => `f${index}.json`),
      }),
    })
    let reads = 0
    const { problems } = await validateRepository(
      {
        ...snapshot,
        read: path => {
          reads += 1
          return snapshot.read(path)
        },
      },
      context,
    )
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).to.deep.equal([
      'too-many-includes: its files include more than 100000 times; name each file in one place',
    ])
    expect(reads).to.be.below(200)
  })

  it('refuses a manifest that names too many services with all it includes', async () => {
    const services = JSON.stringify({ services: repeated(2_501, index => ({ name: `a${index}` })) })
    const files = repeated(4, index => [`environments/prod/f${index}.json`, services])
    const problems = await problemsIn({
      ...Object.fromEntries(files),
      'environments/prod/manifest.json': JSON.stringify({
        includes: repeated(4, index => `f${index}.json`),
      }),
    })
    expect(problems).to.deep.equal([
      'environments/prod/manifest.json: names more than 10000 services with all it includes; divide it into several environments',
    ])
  })

  const parts: readonly (readonly [string, object, number, string])[] = [
    [
      'containers',
      { replicas: 1_000 },
      10,
      '10000 containers, where those of each instance and each hook count; run fewer instances, or divide the environment',
    ],
    [
      'ports',
      { ports: ['1-4096:1-4096'] },
      8,
      '32768 ports, where each port of a range counts; publish fewer, or use "network: {host: true}"',
    ],
    [
      'files',
      {
        volumes: [
          {
            name: 'v',
            'config-map': { items: repeated(1_024, index => ({ name: `f${index}`, data: 'x' })) },
          },
        ],
        mounts: repeated(4, index => ({ 'volume-name': 'v', 'mount-path': `/m${index}` })),
      },
      16,
      '65536 files, where each mount counts; mount fewer of them, or put them into the image',
    ],
  ]
  for (const [what, each, enough, reason] of parts)
    for (const isNamed of [true, false])
      it(`refuses the later of applications that have too many ${what} together, ${isNamed ? 'as the manifest names them' : 'also where no manifest names them'}`, async () => {
        const names = repeated(enough + 2, index => `a${String(index).padStart(2, '0')}`)
        const problems = await problemsIn({
          ...Object.fromEntries(names.map(name => [`applications/${name}.json`, specification(each, name)])),
          ...(isNamed
            ? {
                'environments/test/manifest.json': JSON.stringify({
                  services: names.map(name => ({ name })),
                }),
              }
            : {}),
        })
        const refused = problems.filter(problem => problem.includes('together'))
        expect(refused).to.deep.equal(
          names
            .slice(enough)
            .map(
              name =>
                `applications/${name}.json: /services/0 brings all applications together to more than ${reason}`,
            ),
        )
      })

  it('refuses services of a manifest alone that have too many containers together', async () => {
    const containers = repeated(1_000, () => ({ dockerTag: '1' }))
    const problems = await problemsIn({
      'environments/test/manifest.json': JSON.stringify({
        services: repeated(11, index => ({ name: `a${index}`, containers })),
      }),
    })
    expect(problems).to.deep.equal([
      'environments/test/manifest.json: a10 brings all applications together to more than 10000 containers; name fewer',
    ])
  })

  it('refuses the later of applications that have too many different images together', async () => {
    const plain = (name: string, ...tags: readonly string[]) => ({
      name,
      containers: tags.map(dockerTag => ({ dockerName: 'web', dockerTag })),
    })
    const services = [
      ...repeated(2_999, index => plain(`a${index}`, `${index}`)),
      plain('two-more', '3000', '3001'),
      plain('one-more', '3000'),
      plain('beyond', '3001'),
      plain('known', '7', '3000'),
    ]
    expect(
      await problemsIn({ 'environments/test/manifest.json': JSON.stringify({ services }) }),
    ).to.deep.equal(
      ['two-more', 'beyond'].map(
        name =>
          `environments/test/manifest.json: ${name} brings all applications together to more than 3000 different images; let them share images, or divide the environment`,
      ),
    )
  })

  it('reads what environments share once, and checks once what none of them names', async () => {
    const names = repeated(50, index => `a${index}`)
    const shared = Object.fromEntries(
      names.map(name => [`applications/${name}.json`, specification({ replicas: -1 }, name)]),
    )
    const manifests = repeated(200, index => [
      `environments/e${index}/manifest.json`,
      '{"includes": ["../../all.json"]}',
    ])
    const snapshot = snapshotOf({
      ...shared,
      ...Object.fromEntries(manifests),
      'all.json': '{"services": [{"name": "a0"}]}',
    })
    const read: string[] = []
    const watched = {
      ...snapshot,
      read: (path: string) => {
        read.push(path)
        return snapshot.read(path)
      },
    }
    const { problems } = await validateRepository(watched, context)
    expect(problems).to.have.length(50)
    expect(read).to.have.length(200 + 1 + 50)
  })

  it('refuses the later of environments that are too much together', async () => {
    const services = JSON.stringify({ services: repeated(9_999, index => ({ name: `a${index}` })) })
    const manifests = repeated(5, index => [
      `environments/e${index}/manifest.json`,
      '{"includes": ["../../all.json"]}',
    ])
    const problems = await problemsIn({ ...Object.fromEntries(manifests), 'all.json': services })
    expect(problems).to.deep.equal(
      ['e4', 'prod'].map(
        name =>
          `environments/${name}/manifest.json: is not checked: the environments before it are as much as is checked in one go; divide the repository`,
      ),
    )
  })

  const documents: readonly (readonly [string, string, string])[] = [
    ['JSON of 1 MiB', `{"x-a": "${'x'.repeat(mebi)}"}`, 'has more than 1048576 characters'],
    ['JSON of 300,000 empty lists', `{"x-a": [${'[],'.repeat(300_000)}[]]}`, 'has more than 200000 values'],
    [
      'JSON of 10,000 lists in one another',
      `{"x-a": ${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'more than 100 objects',
    ],
  ]
  for (const [what, text, reason] of documents)
    it(`refuses ${what} as it refuses such YAML`, async () => {
      const [problem] = await problemsIn({ 'applications/bad.json': text })
      expect(problem).to.match(new RegExp(`^applications/bad.json: ${reason}`))
    })

  const dense: readonly (readonly [string, string])[] = [
    ['words in a list', `a: [${'a,'.repeat(200_000)}a]`],
    ['lists in a list', `a: [${'[],'.repeat(200_000)}[]]`],
    ['lines', '- a\n'.repeat(200_000)],
    ['keys', repeated(50_000, index => `k${index}: a`).join('\n')],
    ['brackets', '['.repeat(400_000)],
    ['tags', '!a '.repeat(300_000)],
    ['comments', '#\n'.repeat(400_000)],
    ['question marks', '? '.repeat(400_000)],
    ['aliases', `a: &a x\nb: [${'*a,'.repeat(200_000)}*a]`],
  ]
  for (const [what, text] of dense)
    it(`refuses YAML of nothing but ${what} before a parser makes a tree of it`, async () => {
      const [problem] = await problemsIn({ 'applications/bad.yaml': text })
      expect(problem).to.match(/^applications\/bad.yaml: has more than 100000 words, separators and lines/)
    })

  it('refuses long texts that aliases repeat', async () => {
    const text = `a: &a ${'x'.repeat(100_000)}\nb: [${repeated(100, () => '*a').join()}]`
    const [problem] = await problemsIn({ 'applications/bad.yaml': text })
    expect(problem).to.equal('applications/bad.yaml: expands to more than 4194304 characters')
  })

  it('refuses the largest of many specifications that are too much together, and reads the others', async () => {
    const large = (name: string, count: number) =>
      `{"name": "${name}", "x-a": [${'1,'.repeat(count)}1], "services": [{"name": "web", "containers": [{"name": "web", "image": "a:1"}]}]}`
    const files = Object.fromEntries(
      repeated(5, index => [`applications/a${index}.json`, large(`a${index}`, 180_000 + index)]),
    )
    const problems = await problemsIn({ ...files, 'applications/z.json': large('z', 1) })
    expect(problems.map(problem => problem.slice(0, 61))).to.deep.equal([
      'applications/a3.json: is not read: the smaller specifications',
      'applications/a4.json: is not read: the smaller specifications',
    ])
  })

  /** 32 regular expressions of 1,000 parts each, in a text of one word. They count, and compile to little. */
  const costly = repeated(32, () => 'system/name ~ (?:){500}').join(' or ')
  const deployment = (name: string, labels: string) =>
    JSON.stringify({ name, application: name, placement: { 'match-site-labels': labels } })
  const deployed = (name: string, labels: string): Files => ({
    [`applications/${name}.json`]: specification({}, name),
    [`deployments/${name}.json`]: deployment(name, labels),
  })

  it('refuses the largest of many deployments whose label expressions cost too much together', async () => {
    const large = repeated(18, index => deployed(`a${10 + index}`, `${costly} or ${'x'.repeat(index + 1)}`))
    const problems = await problemsIn(Object.assign({}, ...large, deployed('z', 'lab')))
    expect(problems).to.deep.equal([
      'deployments/a26.json: is not read: the smaller specifications have 500000 words, values and parts of regular expressions already, which is the most for one environment; make it smaller',
      'deployments/a27.json: is not read: the smaller specifications have 500000 words, values and parts of regular expressions already, which is the most for one environment; make it smaller',
    ])
  })

  it('counts the label expressions of all environments together', async () => {
    const environments = repeated(7, index =>
      Object.fromEntries([
        [`environments/e${index}/manifest.json`, '{}'],
        ...repeated(16, each => [
          `environments/e${index}/deployments/z${each}.json`,
          deployment(`z${each}`, costly),
        ]),
      ]),
    )
    const problems = await problemsIn(Object.assign({}, ...environments))
    expect(problems.filter(problem => problem.includes('is not checked'))).to.deep.equal([
      'environments/e6/manifest.json: is not checked: the environments before it are as much as is checked in one go; divide the repository',
      'environments/prod/manifest.json: is not checked: the environments before it are as much as is checked in one go; divide the repository',
    ])
  })

  it('counts the regular expressions of an upgrade path as it expands them', async () => {
    const paths = repeated(70, () => ({ 'version-regexp': '^.{998}$', method: 'stop-and-restart' }))
    const application = { ...JSON.parse(specification({})), version: '2', 'upgrade-from': paths }
    const [problem] = await problemsIn({ 'applications/bad.json': JSON.stringify(application) })
    expect(problem).to.match(
      /^applications\/bad\.json: \/upgrade-from\/65\/version-regexp brings the application to more than 4194304 characters/,
    )
  })

  it('counts the problems of a file after the first 100', async () => {
    const wrong = `{"services": [${'{"a": 1},'.repeat(40_000)}{}]}`
    const problems = await problemsIn({ 'environments/test/manifest.json': wrong })
    expect(problems).to.have.length(limits.problemsOfFile)
    expect(problems.at(-1)).to.match(
      /^environments\/test\/manifest.json: and \d{5} more problems, which are not listed$/,
    )
  })

  it('counts the problems of all files after the first 1,000', async () => {
    const names = repeated(20, index => `a${String(index).padStart(2, '0')}`)
    const wrong = `{"services": [${'{"a": 1},'.repeat(80)}{}]}`
    const problems = await problemsIn(
      Object.fromEntries(names.map(name => [`applications/${name}.json`, wrong])),
    )
    expect(problems).to.have.length(limits.problems)
    expect(problems.at(-2)).to.match(/^applications\/a/)
    expect(problems.at(-1)).to.match(/^undefined: and \d+ more problems, which are not listed$/)
  })

  it('tells a few of those who claim the same, however many they are', async () => {
    const names = repeated(500, index => `a${index}`)
    const files = names.map(name => [`applications/${name}.json`, specification({ ports: ['80:80'] }, name)])
    const services = names.map(name => ({ name }))
    const problems = await problemsIn({
      ...Object.fromEntries(files),
      'environments/prod/manifest.json': JSON.stringify({ services }),
    })
    expect(problems).to.have.length(499)
    expect(Math.max(...problems.map(({ length }) => length))).to.be.below(500)
  })

  it('keeps no chain of includes for problems that are only counted', async () => {
    const long = 'x'.repeat(200)
    const include = (index: number) =>
      JSON.stringify({ includes: [...repeated(1_000, gone => `gone${gone}.json`), `./${long}${index}.json`] })
    const files = repeated(40, index => [`environments/prod/${long}${index}.json`, include(index + 1)])
    const problems = await problemsIn({
      ...Object.fromEntries(files),
      'environments/prod/manifest.json': JSON.stringify({ includes: [`./${long}0.json`] }),
    })
    expect(problems).to.have.length(limits.problems)
    expect(problems.at(-1)).to.equal('undefined: and 30902 more problems, which are not listed')
  })

  it('however many applications share it: variables have 32 MiB in all, and at least 4 KiB each', async () => {
    const names = repeated(256, index => `a${index}`)
    const specification = (name: string, times: number) =>
      JSON.stringify({
        name,
        services: [
          {
            name: 'web',
            variables: [{ name: 'A', value: 'x'.repeat(1_024) }],
            containers: [{ name: 'web', image: 'web:1', labels: { B: '${A}'.repeat(times) } }],
          },
        ],
      })
    const applications = names.map(name => [`applications/${name}.yaml`, specification(name, 128)] as const)
    expect(await problemsIn(Object.fromEntries(applications))).to.deep.equal([])
    const one = { 'applications/a7.yaml': specification('a7', 129) }
    expect(await problemsIn({ ...Object.fromEntries(applications), ...one })).to.deep.equal([
      'applications/a7.yaml: /services/0/variables make more than 128 KiB of the texts that name them, which is the most for each of 256 applications; write shorter ones, or name them less often',
    ])
  })
})
