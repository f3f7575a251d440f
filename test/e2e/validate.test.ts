import { expect } from 'chai'
import { fixtureDirectory } from '../support/fixture.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { expectCode } from './document.ts'
import { createScene, jsonText } from './scene.ts'

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

  it('prints one JSON document with --output json', async () => {
    await using scene = await createScene()
    const ran = await scene.tallyman.run('validate', fixtureDirectory('invalid'), '--output', 'json')
    expectCode(ran, 1)
    expect(JSON.parse(ran.stdout)).to.include.keys('problems')
  })
})
