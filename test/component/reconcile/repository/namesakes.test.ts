import { expect } from 'chai'
import { findControlled } from '../../../../lib/http/environments.ts'
import type { Files } from '../../../support/builders/snapshot.ts'
import { refusal } from '../../../support/failures/refusal.ts'
import { everyImage, type MemoryDaemon, memoryDaemon } from '../../../support/memory/memory-daemon.ts'
import { memoryEngine } from '../../../support/memory/memory-engine.ts'
import { memoryJournal } from '../../../support/memory/memory-journal.ts'

const ambiguous =
  'environment "aa" is in a/environments/aa/manifest.json and b/environments/aa/manifest.json (environment-ambiguous)'

/** A manifest in each of these directories, which runs `web` with this tag. */
function manifests(tags: Readonly<Record<string, string>>): Files {
  return Object.fromEntries(
    Object.entries(tags).map(([directory, dockerTag]) => [
      `${directory}/manifest.json`,
      JSON.stringify({ skipConfirmation: true, services: [{ name: 'web', containers: [{ dockerTag }] }] }),
    ]),
  )
}

type Shown = {
  readonly environment: string
  readonly directory?: string
  readonly outcome: string
  readonly errors: readonly { readonly code: string; readonly message: string }[]
  readonly applications: readonly { readonly version: string }[]
}

/** What the status says of each environment, in a line. */
async function status(daemon: MemoryDaemon): Promise<readonly string[]> {
  const all: readonly Shown[] = await daemon.ask('GET /api/v1/environments')
  return all.map(({ environment, directory = '?', outcome, errors, applications }) =>
    [
      `${environment || '(not read yet)'} of ${directory}`,
      errors.length === 0 ? outcome : errors.map(({ code, message }) => `${message} (${code})`).join(),
      ...applications.map(({ version }) => `web ${version}`),
    ].join(', '),
  )
}

const both = manifests({ 'a/environments/aa': '1', 'b/environments/aa': '2' })

describe('two environments of one name in one repository', () => {
  for (const [apart, called] of [
    ['a/environments/aa', 'aa of a/environments/aa, in-sync, web 1'],
    ['b/environments/aa', 'aa-649e2d0b of b/environments/aa, in-sync, web 2'],
  ] as const)
    it(`D17 G13 are told apart where only ${apart} is named by its directory: the other says why it is not deployed`, async () => {
      const journal = memoryJournal()
      await using daemon = await memoryDaemon({ files: both, environments: ['aa', apart], journal })
      await daemon.pass()
      await daemon.pass()
      const expected = [`(not read yet) of ?, ${ambiguous}`, called]
      expect(await status(daemon)).to.deep.equal(expected)
      await daemon.pass()
      expect(await status(daemon)).to.deep.equal(expected)
    })

  it('D17 are told apart before anything of them is read', async () => {
    const environments = ['a/environments/aa', 'b/environments/aa']
    const sites = environments.map((directory, index) => ({
      ...{ name: `site-${index}`, endpoint: `unix:///run/${index}.sock` },
      environments: [directory],
    }))
    const engines = sites.map(({ name: site }) => memoryEngine({ site, distribution: everyImage }))
    await using daemon = await memoryDaemon({ files: {}, environments, engines, config: { sites } })
    await daemon.pass()
    const names = (await status(daemon)).map(line => line.split(',')[0])
    expect(names).to.deep.equal(['(not read yet) of ?', '(not read yet) of ?'])
    daemon.commit(both)
    await daemon.pass()
    await daemon.pass()
    expect(await status(daemon)).to.deep.equal([
      'aa of a/environments/aa, in-sync, web 1',
      'aa-649e2d0b of b/environments/aa, in-sync, web 2',
    ])
  })

  it('D17 leave alone what runs, and go on once one of them has another name', async () => {
    const one = manifests({ 'a/environments/aa': '1' })
    await using daemon = await memoryDaemon({ files: one, environments: ['aa'] })
    await daemon.pass()
    daemon.commit(both, '2'.repeat(40))
    await daemon.pass()
    expect(await status(daemon)).to.deep.equal([`aa of a/environments/aa, ${ambiguous}, web 1`])
    daemon.commit(manifests({ 'a/environments/aa': '3', 'b/environments/bb': '2' }), '3'.repeat(40))
    await daemon.pass()
    await daemon.pass()
    expect(await status(daemon)).to.deep.equal(['aa of a/environments/aa, in-sync, web 3'])
  })

  it('D17 that are one, named twice, say so of the second, and only of it', async () => {
    const one = manifests({ 'a/environments/aa': '1' })
    await using daemon = await memoryDaemon({ files: one, environments: ['aa', 'a/environments/aa'] })
    await daemon.pass()
    await daemon.pass()
    expect(await status(daemon)).to.have.members([
      'aa of a/environments/aa, in-sync, web 1',
      '(not read yet) of ?, environments: "aa" and "a/environments/aa" are the same environment: a/environments/aa (config-invalid)',
    ])
  })

  it('D17 are answered apart: a name that only one of them has means that one', async () => {
    await using daemon = await memoryDaemon({ files: both, environments: ['aa', 'b/environments/aa'] })
    await daemon.pass()
    const { running } = daemon.control
    expect(findControlled(running, 'b/environments/aa').world.environment).to.equal('b/environments/aa')
    expect(await refusal(async () => findControlled(running, undefined))).to.match(/name one/)
  })
})
