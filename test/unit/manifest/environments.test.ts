import { expect } from 'chai'
import { formatProblem } from '../../../lib/errors.ts'
import {
  chooseEnvironment,
  findEnvironments,
  findMisnamed,
  locateEnvironment,
} from '../../../lib/manifest/environments.ts'
import { type Files, snapshotOf, submodule, symlink } from '../../support/builders/snapshot.ts'
import { refusal } from '../../support/failures/refusal.ts'

describe('the environments of a repository', () => {
  it('E1 are the sub-directories with a manifest.json of environments/, wherever that is', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.json': '{}',
      'environments/prod/other.json': '{}',
      'environments/devel/manifest.json': '{}',
      'infra/deploy/environments/stage/manifest.json': '{}',
    })
    expect(await findEnvironments(snapshot)).to.deep.equal([
      { name: 'devel', directory: 'environments/devel' },
      { name: 'prod', directory: 'environments/prod' },
      { name: 'stage', directory: 'infra/deploy/environments/stage' },
    ])
  })

  it('E1 are nothing that has no manifest.json, or stands elsewhere', async () => {
    const snapshot = snapshotOf({
      'environments/manifest.json': '{}',
      'environments/prod/readme.md': '',
      'environments/prod/deeper/manifest.json': '{}',
      'environments/stage/manifest.json/file': '{}',
      'my-environments/prod/manifest.json': '{}',
      'Environments/prod/manifest.json': '{}',
    })
    expect(await findEnvironments(snapshot)).to.deep.equal([])
  })

  it('G24 are not looked for behind symlinks and submodules', async () => {
    const snapshot = snapshotOf({
      'environments/prod': symlink,
      'environments/stage': submodule,
      infra: symlink,
      'environments/devel/manifest.json': '{}',
    })
    expect(await findEnvironments(snapshot)).to.deep.equal([
      { name: 'devel', directory: 'environments/devel' },
    ])
  })

  it('G24 include one whose manifest.json is a symlink, so that it is refused and not passed by', async () => {
    const snapshot = snapshotOf({ 'environments/prod/manifest.json': symlink })
    expect(await findEnvironments(snapshot)).to.deep.equal([{ name: 'prod', directory: 'environments/prod' }])
  })
})

describe('the environment that is meant', () => {
  const devel = { name: 'devel', directory: 'environments/devel' }
  const prod = { name: 'prod', directory: 'environments/prod' }
  const otherProd = { name: 'prod', directory: 'store/environments/prod' }

  it('is the one of the name', () => {
    expect(chooseEnvironment([devel, prod], 'prod')).to.equal(prod)
  })

  it('is the only one where none is named', () => {
    expect(chooseEnvironment([devel], undefined)).to.equal(devel)
  })

  it('E1 is found by its directory where two have the name', () => {
    expect(chooseEnvironment([prod, otherProd], 'store/environments/prod')).to.equal(otherProd)
  })

  it('E1 is found by its directory, however that is spelled', () => {
    for (const written of [
      './store/environments/prod',
      'store/environments/prod/',
      '/store//environments/prod',
    ])
      expect(chooseEnvironment([prod, otherProd], written)).to.equal(otherProd)
  })

  it('E1 is refused where two have the name, and both are named', async () => {
    expect(await refusal(() => chooseEnvironment([devel, prod, otherProd], 'prod'))).to.deep.equal([
      'environment "prod" is in environments/prod/manifest.json and store/environments/prod/manifest.json (environment-ambiguous)',
    ])
  })

  it('has to be named where there are several', async () => {
    expect(await refusal(() => chooseEnvironment([devel, prod], undefined))).to.deep.equal([
      'the repository has several environments: devel, prod (environment-ambiguous)',
    ])
    expect(await refusal(() => chooseEnvironment([devel, prod, otherProd], undefined))).to.deep.equal([
      'the repository has several environments: devel, environments/prod, store/environments/prod (environment-ambiguous)',
    ])
  })

  it('is refused where it is not there, and those that are there are named', async () => {
    expect(await refusal(() => chooseEnvironment([devel, prod], 'stage'))).to.deep.equal([
      'environment "stage" is not in the repository; there is devel, prod (environment-not-found)',
    ])
    expect(await refusal(() => chooseEnvironment([devel, prod], 'devle'))).to.deep.equal([
      'environment "devle" is not in the repository; there is devel, prod; did you mean "devel"? (environment-not-found)',
    ])
  })

  it('E1 is refused where its manifest has another name, and the hint says which to rename', async () => {
    const snapshot = snapshotOf({
      'environments/prod/manifest.yaml': '{}',
      'environments/test/manifest.json': '{}',
      'environments/test/manifest.yml': '{}',
    })
    const failure = await locateEnvironment(snapshot, 'prod').catch((error: unknown) => error)
    expect(failure).to.include({
      code: 'environment-not-found',
      hint: 'environments/prod/manifest.yaml is not read: rename it to manifest.json, as JSON.',
    })
    expect((await locateEnvironment(snapshot, undefined)).environment).to.include({ name: 'test' })
  })

  const inTheWay: readonly (readonly [string, Files, string])[] = [
    ['environments/ is a symlink', { environments: symlink }, 'environments: is a symlink (path-forbidden)'],
    ['environments/ is a file', { environments: 'prod' }, 'environments: is a file (file-missing)'],
    [
      'its directory is a symlink',
      { 'environments/devel/manifest.json': '{}', 'environments/prod': symlink },
      'environments/prod: is a symlink (path-forbidden)',
    ],
    [
      'its directory is a submodule',
      { 'environments/devel/manifest.json': '{}', 'environments/prod': submodule },
      'environments/prod: is a submodule (path-forbidden)',
    ],
    [
      'its manifest is a directory',
      { 'environments/prod/manifest.json/manifest.json': '{}' },
      'environments/prod/manifest.json: is a directory (file-missing)',
    ],
  ]
  for (const [what, files, message] of inTheWay)
    it(`G24 is refused for what is in its way where ${what}`, async () => {
      const snapshot = snapshotOf(files)
      expect(await refusal(() => locateEnvironment(snapshot, 'prod'))).to.deep.equal([message])
      expect((await findMisnamed(snapshot)).map(formatProblem)).to.deep.equal([message])
    })

  it('E1 is refused where it stands in a directory that is only nearly named environments', async () => {
    const snapshot = snapshotOf({ 'Environments/prod/manifest.json': '{}' })
    const failure = await locateEnvironment(snapshot, 'prod').catch((error: unknown) => error)
    expect(failure).to.include({
      code: 'environment-not-found',
      hint: 'Rename Environments to environments.',
    })
    expect((await findMisnamed(snapshot)).map(formatProblem)).to.deep.equal([
      'Environments/prod/manifest.json: is not read: environments stand in a directory named environments, and not Environments (manifest-misnamed)',
    ])
  })

  it('is refused where there is none at all', async () => {
    expect(await refusal(() => chooseEnvironment([], undefined))).to.deep.equal([
      'the repository has no environments/NAME/manifest.json (environment-not-found)',
    ])
  })

  for (const name of ['my env', '-prod', 'ümlaut', 'p'.repeat(64)])
    it(`is refused where ${JSON.stringify(name)} cannot be part of the name of a container`, async () => {
      const place = { name, directory: `environments/${name}` }
      expect((await refusal(() => chooseEnvironment([place], undefined))).join()).to.match(
        /letters, digits, .* \(environment-invalid\)$/,
      )
    })
})
