import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { contextOf } from '../../../../lib/cli/context-of.ts'
import { configOfSites, localConfig } from '../../../../lib/cli/options/state-dir.ts'
import { openSession } from '../../../../lib/cli/session.ts'
import { loadConfig } from '../../../../lib/config.ts'
import { openEngines } from '../../../../lib/daemon.ts'
import { Failure, InvalidInput } from '../../../../lib/errors.ts'

/** The daemon has DOCKER_HOST, and the shell in which somebody asks it has not. */
const text = `
repository: {url: /srv/manifests}
sites:
  - name: store
    tls: {ca: /etc/tallyman/ca.pem, cert: /etc/tallyman/cert.pem, key: /etc/tallyman/key.pem}
`

describe('a configuration that is read by who goes to no engine', () => {
  let directory = ''
  let config = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tallyman-config-'))
    config = join(directory, 'tallyman.yaml')
    writeFileSync(config, text)
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('G16 G24 is not judged by the variables of an engine, which only those who go there have', () => {
    expect(localConfig({ config }).stateDir).to.be.a('string')
    expect(configOfSites({ config }).sites.map(({ name }) => name)).to.deep.equal(['store'])
    expect(() => loadConfig({ config }, {})).to.throw(InvalidInput, /tls: is not used over a socket/)
    const env = { DOCKER_HOST: 'tcp://10.0.0.7:2376' }
    expect(loadConfig({ config }, env).sites.map(({ name }) => name)).to.deep.equal(['store'])
  })

  it('G16 G24 is enough for a rollback by a commit, and opens no engine: what is refused is a question to one', async () => {
    writeFileSync(config, `${text.replace('/srv', 'https://git.example.com/ops')}stateDir: ${directory}\n`)
    await using session = openSession({ config }, { connects: false })
    expect(session.parts.engines).to.deep.equal([])
    expect(() => openEngines(configOfSites({ config }))).to.throw(
      Failure,
      'sites/store/tls: is not used over a socket',
    )
  })

  it('P33 says where certificates come from only where there is a file that could say it', () => {
    const known = configOfSites({ config })
    expect(contextOf(known, '/srv/manifests').ingress?.certificates).to.deep.equal({
      hasOwn: false,
      hasPrivateAuthority: false,
    })
    expect(contextOf({ ...known, origin: {} }, '/srv/manifests').ingress).to.not.have.property('certificates')
  })
})
