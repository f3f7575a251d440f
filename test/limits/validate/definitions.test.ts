import { expect } from 'chai'
import { containers, problemsIn, repeated } from '../../support/files/validated-repositories.ts'

describe('G24 definitions that a few words repeat', () => {
  const large = 'x'.repeat(900_000)
  const tooLong =
    'characters, where each mount of a file, each hook of each service and each path of "upgrade-from" and each "match-host-labels" with each repetition in it count; mount large files once, give large values to fewer hooks, and repeat less in regular expressions'
  const definitions: readonly (readonly [string, object, number])[] = [
    [
      'one large file that five mounts repeat',
      {
        services: [
          {
            name: 'web',
            volumes: [{ name: 'v', 'config-map': { items: [{ name: 'f', data: large }] } }],
            containers: [
              {
                name: 'web',
                image: 'a:1',
                mounts: repeated(5, index => ({ 'volume-name': 'v', 'mount-path': `/m${index}` })),
              },
            ],
          },
        ],
      },
      0,
    ],
    [
      'a hook with a large value that runs for each of five services',
      {
        strategy: {
          type: 'Recreate',
          recreate: { pre: { execNewPod: { containerName: 'web', args: ['x'], env: { A: large } } } },
        },
        services: repeated(5, index => ({ name: `s${index}`, containers })),
      },
      4,
    ],
    [
      '256 services with 256 paths of upgrades',
      {
        'upgrade-from': repeated(256, index => ({ 'version-regexp': `${index}`, method: 'per-service' })),
        services: repeated(256, index => ({ name: `s${index}`, containers })),
      },
      163,
    ],
    [
      'five services that choose nodes by 32 regular expressions each',
      {
        services: repeated(5, index => ({
          name: `s${index}`,
          containers,
          placement: { 'match-host-labels': repeated(32, at => `a${at} ~ b{1000}`).join(' or ') },
        })),
      },
      2,
    ],
  ]
  for (const [what, parts, at] of definitions)
    it(`refuses an application of ${what}, and no other`, async () => {
      const problems = await problemsIn({
        'applications/bad.json': JSON.stringify({ name: 'bad', ...parts }),
      })
      expect(problems).to.deep.equal([
        `applications/bad.json: /services/${at} brings the application to more than 4194304 ${tooLong}`,
      ])
    })

  it('counts a container once more for each hook that may run in it', async () => {
    const text = (services: number) =>
      [
        'name: bad',
        `x-a: &a ${'x'.repeat(600_000)}`,
        'strategy:',
        '  recreate:',
        ...['pre', 'mid', 'post'].map(stage => `    ${stage}: {execNewPod: {containerName: web, args: [x]}}`),
        '  type: Recreate',
        'services:',
        ...repeated(
          services,
          index => `  - {name: s${index}, containers: [{name: web, image: a:1, env: {A: *a}}]}`,
        ),
      ].join('\n')
    expect(await problemsIn({ 'applications/bad.yaml': text(1) })).to.deep.equal([])
    expect(await problemsIn({ 'applications/bad.yaml': text(2) })).to.deep.equal([
      `applications/bad.yaml: /services/1 brings the application to more than 4194304 ${tooLong}`,
    ])
  })

  it('refuses the later of applications whose aliases unfold to too many characters together', async () => {
    const names = repeated(18, index => `a${String(index).padStart(2, '0')}`)
    const unfolding = (name: string) => [
      `name: ${name}`,
      `x-a: &a ${'x'.repeat(100_000)}`,
      'services:',
      '  - name: web',
      '    containers:',
      '      - name: web',
      '        image: a:1',
      '        env:',
      ...repeated(38, index => `          V${index}: *a`),
    ]
    const problems = await problemsIn(
      Object.fromEntries(names.map(name => [`applications/${name}.yaml`, unfolding(name).join('\n')])),
    )
    expect(problems).to.deep.equal([
      `applications/a17.yaml: /services/0 brings all applications together to more than 67108864 ${tooLong}`,
    ])
  })
})
