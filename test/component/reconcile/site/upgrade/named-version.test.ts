import { expect } from 'chai'
import { sayOfLastEntry } from '../../../../../lib/answers/version/queue-word.ts'
import { presentVersion } from '../../../../../lib/answers/version/way-back.ts'
import { printed } from '../../../../../lib/cli/output/printed.ts'
import { versionLines } from '../../../../../lib/cli/text/version-text.ts'
import { versionList } from '../../../../../lib/reconcile/status/version-list.ts'
import { queueScene, version } from '../../../../support/builders/queue-scene.ts'
import type { Files } from '../../../../support/builders/snapshot.ts'

/** The same with a deployment of `web` that names a version. */
const naming = (named: string, files: Files): Files => ({
  ...files,
  'deployments/web.yaml': `
name: web
application: web
application-version: "${named}"
placement: {all-sites: true}
`,
})

const [one, two] = [version('1.0', '1'), version('2.0', '2')]

async function sceneWith(history: Readonly<Record<string, Files>>) {
  const scene = await queueScene(history)
  const { journal } = scene.world
  return {
    ...scene,
    force: (version: string) =>
      sayOfLastEntry(journal, {
        ...{ environment: 'prod', site: 'local', application: 'web', version },
        ...{ word: 'forced', who: 'ann', atMs: 0 },
      }),
    forced: () => journal.queueWords('prod', 'local').map(word => word.version),
    entered: () =>
      journal
        .versionEntries('prod', 'web')
        .map(({ version, isUnwanted }) => `${version}${isUnwanted ? ' unwanted' : ''}`),
  }
}

describe('a deployment that names an earlier version', () => {
  it('A12 A65 takes the later one back: no site goes by way of it any more', async () => {
    const scene = await sceneWith({
      1: naming('*', one),
      2: naming('*', two),
      3: naming('1.0', two),
      4: naming('*', version('3.0', '4', '^2\\.')),
    })
    scene.open()
    await scene.at('2')
    await scene.at('3')
    expect(scene.runs()).to.equal('1')
    const { errors, status } = await scene.at('4')
    expect([scene.runs(), errors.map(({ code }) => code)]).to.deep.equal(['1', ['no-upgrade-path']])
    expect(status[0]?.reason).to.equal('no entry of "upgrade-from" leads from 1.0 to 3.0')
    expect(scene.entered()).to.deep.equal(['1.0', '2.0', '1.0', '3.0'])
  })

  it('A12 X18 has what was approved of the later one lapse, also if that is wanted again', async () => {
    const scene = await sceneWith({ 1: naming('*', one), 2: naming('*', two), 3: naming('1.0', two) })
    expect((await scene.at('2')).waiting).to.deep.equal([])
    await scene.at('3', {})
    expect((await scene.at('2', {})).waiting, 'it is asked about').to.have.length(1)
    scene.open()
    await scene.pass()
    expect(scene.runs()).to.equal('1')
    await scene.pass(scene.approved)
    expect(scene.runs()).to.equal('2')
  })

  it('A12 A66 has the later one forced no longer, also if that is wanted again', async () => {
    const scene = await sceneWith({ 1: naming('*', one), 2: naming('*', two), 3: naming('1.0', two) })
    await scene.at('2', {})
    scene.force('2.0')
    await scene.at('3', {})
    expect(scene.forced()).to.deep.equal([])
    await scene.at('2')
    expect(scene.runs()).to.equal('1')
  })

  it('A12 A6 is what is wanted now, and what the later one is gone back from', async () => {
    const scene = await sceneWith({ 1: naming('*', one), 2: naming('*', two), 3: naming('1.0', two) })
    await scene.at('2')
    await scene.at('3')
    const { journal } = scene.world
    expect([
      presentVersion(journal, 'prod', 'web'),
      versionList(journal, 'prod', 'web').wanted,
    ]).to.deep.equal(['1.0', '1.0'])
  })
})

describe('a deployment that names a version that is not kept', () => {
  it('A12 A6 G13 has that one wanted, so that no kept one is called so, until it names one that is', async () => {
    const scene = await sceneWith({ 1: naming('*', one), 2: naming('*', two), 3: naming('0.9', two) })
    const { journal } = scene.world
    await scene.at('2')
    await scene.at('3')
    const list = versionList(journal, 'prod', 'web')
    expect([list.wanted, list.versions.map(({ version }) => version)]).to.deep.equal(['0.9', ['2.0', '1.0']])
    expect(printed(versionLines(list), false)).to.include(
      '\n  0.9 is wanted, and cannot be installed; to see why: tallyman status\n',
    )
    await scene.at('2')
    expect(versionList(journal, 'prod', 'web').wanted).to.equal('2.0')
  })
})

describe('a deployment that stays at a version while newer ones come', () => {
  const pinned = {
    1: naming('1.0', one),
    2: naming('1.0', two),
    3: naming('1.0', version('3.0', '3', '^2\\.')),
  }

  it('A12 A65 takes none of them back: a site goes by way of them once the last one is named', async () => {
    const scene = await sceneWith({ ...pinned, 4: naming('3.0', version('3.0', '3', '^2\\.')) })
    scene.open()
    await scene.at('2')
    await scene.at('3')
    expect(scene.entered()).to.deep.equal(['1.0', '2.0 unwanted', '3.0 unwanted'])
    await scene.at('4')
    expect([scene.runs(), scene.entered()]).to.deep.equal(['2', ['1.0', '2.0 unwanted', '3.0']])
    await scene.pass()
    expect(scene.runs()).to.equal('3')
  })

  it('A12 A65 X18 lets no approval of the named one lapse because one of them came and went', async () => {
    const scene = await sceneWith({
      1: naming('*', one),
      2: naming('2.0', two),
      3: naming('2.0', version('3.0', '3')),
    })
    await scene.at('2')
    for (const digit of ['3', '2']) expect((await scene.at(digit, {})).waiting).to.deep.equal([])
    scene.open()
    await scene.pass()
    expect([scene.runs(), scene.entered()]).to.deep.equal(['2', ['1.0', '2.0', '3.0 unwanted', '2.0']])
  })

  it('A12 X18 has an approval of the named one lapse once the last one was named in between', async () => {
    const three = version('3.0', '3')
    const scene = await sceneWith({
      1: naming('*', one),
      2: naming('2.0', two),
      3: naming('2.0', three),
      4: naming('3.0', three),
    })
    await scene.at('2', {})
    expect((await scene.at('3')).waiting).to.deep.equal([])
    await scene.at('4', {})
    expect((await scene.at('3', {})).waiting, 'it is asked about').to.have.length(1)
    scene.open()
    await scene.pass()
    expect([scene.runs(), scene.entered()]).to.deep.equal(['1', ['1.0', '2.0', '3.0', '2.0']])
  })

  it('A12 A65 has one of them taken back once a commit does not have it any more', async () => {
    const scene = await sceneWith({
      ...pinned,
      4: naming('1.0', one),
      5: naming('*', version('4.0', '5', '^3\\.')),
    })
    scene.open()
    for (const digit of ['2', '3', '4', '5']) await scene.at(digit)
    expect(scene.entered()).to.deep.equal(['1.0', '2.0 unwanted', '3.0 unwanted', '1.0', '4.0'])
    expect((await scene.pass()).status[0]?.reason).to.equal(
      'no entry of "upgrade-from" leads from 1.0 to 4.0',
    )
  })
})
