import { expect } from 'chai'
import { withPortHolder } from '../../../../../lib/docker/steps/container/port-holder.ts'
import { engineAnswering } from '../../answering.ts'

const { signal } = new AbortController()
const message =
  'driver failed programming external connectivity on endpoint prod.web.1: Bind for 0.0.0.0:8080 failed: port is already allocated'
const digest = `sha256:${'d'.repeat(64)}`
const labels = {
  'tallyman.environment': 'prod',
  'tallyman.source': 'ops/manifests',
  'tallyman.directory': 'environments/prod',
  'tallyman.application': 'shop',
  'tallyman.service': 'web',
  'tallyman.digest': digest,
}

describe('a host port that is taken', () => {
  const said = async (...listed: readonly object[]) =>
    (await withPortHolder(engineAnswering({ '/containers/json': listed }), { status: 500, message }, signal))
      .message

  it('G10 is told with the application that has it', async () => {
    const other = { Names: ['/x'], Labels: {}, Ports: [{ PublicPort: 18080 }] }
    const holder = {
      Names: ['/prod.web.1.0123abcd'],
      ...{ Image: `web@${digest}`, Labels: labels },
      Ports: [{ PrivatePort: 80 }, { PublicPort: 8080 }],
    }
    expect(await said(other, holder)).to.equal(
      `${message}; shop/web in environments/prod of ops/manifests (the container prod.web.1.0123abcd) publishes 8080`,
    )
  })

  it('G10 is told with a container that is not of tallyman, or as the engine says it', async () => {
    const foreign = { Names: ['/proxy'], Labels: {}, Ports: [{ PublicPort: 8080 }] }
    expect(await said(foreign)).to.equal(`${message}; the container proxy publishes 8080`)
    expect(await said()).to.equal(message)
  })

  for (const words of [
    'Error starting userland proxy: listen tcp4 0.0.0.0:8080: bind: address already in use',
    'failed to bind host port for 127.0.0.1:8080:10.224.0.2:80/tcp: address already in use',
    'failed to bind host port for [::1]:8080:[fd00::2]:80/tcp: address already in use',
    'failed to bind host port 0.0.0.0:8080/tcp: address already in use',
  ])
    it(`G10 is found in the words of every engine: ${words}`, async () => {
      const proxy = { Names: ['/proxy'], Labels: {}, Ports: [{ PublicPort: 8080 }] }
      const inner = { Names: ['/inner'], Labels: {}, Ports: [{ PublicPort: 80 }] }
      const engine = engineAnswering({ '/containers/json': [inner, proxy] })
      const told = await withPortHolder(engine, { status: 500, message: words }, signal)
      expect(told.message).to.equal(`${words}; the container proxy publishes 8080`)
    })
})
