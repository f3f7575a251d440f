import { expect } from 'chai'
import { connect } from '../../../../lib/docker/connect.ts'
import { label } from '../../../../lib/state/labels.ts'
import { engineCall } from '../../../support/engine/engine-call.ts'
import { forEachEngine } from '../../../support/engine/for-each-engine.ts'
import { sideBySide } from '../../../support/suite/side-by-side.ts'
import { type TestSite, testSite } from '../site.ts'

/** The names of the containers that are taken as the operator's ingress. */
async function lent(site: TestSite) {
  const engine = connect({ name: 'local', endpoint: `unix://${site.socket}` }, async () => undefined, {
    hasExternalIngress: true,
  })
  const { containers } = await engine.observe(site.provenance, site.signal)
  return containers.filter(({ isExternal }) => isExternal).map(({ engineName }) => engineName)
}

forEachEngine('an image with labels of tallyman', engine => {
  const it = sideBySide()

  it('G10 gives none of them to a container that is made of it', async () => {
    await using site = await testSite(engine)
    const labels = Object.fromEntries(Object.values(label).map(name => [name, 'hostile']))
    const image = await site.push({ labels: { ...labels, 'tallyman.later': '1', team: 'shop' } })
    const { container } = await site.create(image)
    const { Config } = await site.ask(`/containers/${container}/json`)
    const { environment } = site.provenance
    expect(Object(Config).Labels).to.deep.equal({
      'tallyman.environment': environment,
      'tallyman.source': 'ops/manifests',
      'tallyman.directory': `environments/${environment}`,
      'tallyman.application': 'shop',
      'tallyman.service': 'web',
      'tallyman.instance': '1',
      'tallyman.container': 'web',
      'tallyman.role': 'app',
      'tallyman.version': '1.4.0',
      'tallyman.fingerprint': 'v1:0123abcd',
      'tallyman.image': image.reference,
      'tallyman.digest': image.digest,
      'tallyman.image-id': '',
      'tallyman.commit': 'c0ffee',
      'tallyman.processes': '',
      'tallyman.restart': '',
      'tallyman.pod': '',
      'tallyman.ephemeral': '',
      'tallyman.files': '',
      'tallyman.networks': '',
      'tallyman.login': '',
      'tallyman.record': '',
      'tallyman.ingress': '',
      'tallyman.later': '',
      team: 'shop',
    })
    expect(await site.containers()).to.have.lengthOf(1)
    expect(await site.engine.holders(site.signal)).to.deep.include({
      environment,
      source: 'ops/manifests',
      directory: `environments/${environment}`,
    })
  })

  it('G10 P12 makes nobody the ingress: only a label that a person gave to a container does', async () => {
    await using site = await testSite(engine)
    const { environment } = site.provenance
    const says = { 'tallyman.ingress': environment }
    const hostile = await site.push({ labels: says })
    const plain = await site.push()
    const { container } = await site.create(hostile)
    await site.run(
      { do: 'start-container', container },
      { do: 'pull-image', reference: plain.reference, digest: plain.digest },
    )
    await using stack = new AsyncDisposableStack()
    const run = async (name: string, Image: string, Labels: object) => {
      const container = `${environment}-${name}`
      stack.defer(async () => {
        await engineCall(site.socket, 'DELETE', `/containers/${container}?force=1&v=1`)
      })
      await site.foreign(`/containers/create?name=${container}`, { Image, Labels })
      await site.foreign(`/containers/${container}/start`, undefined)
    }
    // as an older version made it, before images were asked
    await run('before', plain.pinned, { ...says, 'tallyman.environment': environment })
    await run('by-image', hostile.pinned, { 'com.docker.compose.project': 'tools' })
    expect(await lent(site)).to.deep.equal([])
    await run('front', plain.pinned, says)
    expect(await lent(site)).to.deep.equal([`${environment}-front`])
  })
})
