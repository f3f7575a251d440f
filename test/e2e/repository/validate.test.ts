import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { expectCode } from '../../scenes/plan-document.ts'
import { createScene, jsonText } from '../../scenes/scene.ts'
import { fixtureDirectory } from '../../support/files/fixture.ts'
import { sideBySide } from '../../support/suite/side-by-side.ts'

describe('tallyman validate', () => {
  const it = sideBySide()

  it('E14 prints all errors at once as file:line:column: message (code), and exits 1', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('validate', fixtureDirectory('invalid'))
    expectCode(ran, 1)
    const lines = ran.stdout.trimEnd().split('\n')
    for (const line of lines) expect(line).to.match(/^[^: ]+:\d+:\d+: .+ \([a-z-]+\)$/)
    const found = lines.map(line => line.replace(/^(.*?): .*\((.*)\)$/, '$1 $2'))
    expect(found).to.deep.equal([
      'environments/prod/beat.json:3:65 json-invalid',
      'environments/prod/events.json:2:16 include-cycle',
      'environments/prod/events.json:4:80 manifest-invalid',
      'environments/prod/manifest.json:2:48 file-missing',
      'environments/prod/manifest.json:2:63 include-invalid',
      'environments/prod/manifest.json:6:18 manifest-invalid',
      'environments/prod/manifest.json:7:7 manifest-invalid',
      'environments/prod/manifest.json:11:22 manifest-invalid',
    ])
  })

  it('E14 names the whole chain of a cycle', async () => {
    await using scene = await createScene()
    await scene.commit({ includes: ['./a.json'] }, 'A cycle', {
      'a.json': jsonText({ includes: ['./b.json'] }),
      'b.json': jsonText({ includes: ['./a.json'] }),
    })
    const ran = await scene.tallyman.run('validate', scene.repository.path)
    expectCode(ran, 1)
    expect(ran.stdout).to.match(/b\.json:3:5: .*a\.json.*b\.json.*a\.json/)
  })

  it('accepts a repository without an engine, a registry or a daemon', async () => {
    await using scene = await createScene({
      config: { sites: [{ name: 'gone', endpoint: 'unix:///gone/docker.sock' }] },
    })
    const ran = await scene.tallyman.run('validate', fixtureDirectory('rfc-example'))
    expectCode(ran, 0)
    expect(ran.stdout).to.equal('')
  })

  it('checks a single file, and says what it is', async () => {
    await using scene = await createScene()
    const good = await scene.tallyman.run(
      'validate',
      join(fixtureDirectory('rfc-example'), 'environments/devel/manifest.json'),
    )
    expectCode(good, 0)
    expect(good.stderr).to.match(
      /manifest\.json is a valid manifest\. The files that it includes were not checked\.\n$/,
    )
    const bad = await scene.tallyman.run(
      'validate',
      join(fixtureDirectory('invalid'), 'environments/prod/beat.json'),
      '--output',
      'json',
    )
    expectCode(bad, 1)
    expect(JSON.parse(bad.stdout).problems).to.have.length(1)
    expectCode(await scene.tallyman.run('validate', 'tallyman.yaml'), 0)
    expectCode(await scene.tallyman.run('validate', 'nowhere'), 1)
    await writeFile(join(scene.tallyman.directory, 'tallyman.yaml'), 'poll: soon')
    const broken = await scene.tallyman.run('validate', 'tallyman.yaml')
    expectCode(broken, 1)
    expect(broken.stdout).to.match(/^tallyman\.yaml:1:7: .* \(config-invalid\)\n$/)
  })

  it('prints one JSON document with --output json', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('validate', fixtureDirectory('invalid'), '--output', 'json')
    expectCode(ran, 1)
    expect(JSON.parse(ran.stdout)).to.include.keys('problems', 'configuration')
  })
})
