import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../../lib/config.ts'
import type { ReadSettings } from '../../../lib/ingress/settings.ts'
import {
  ingressSettings,
  namesFiles,
  settingsMark,
} from '../../../lib/reconcile/repository/ingress/read-ingress-settings.ts'
import type { IngressSettings } from '../../../lib/state/application/ingress/ingress-settings.ts'
import { Secret } from '../../../lib/state/secret/secret.ts'
import { fixtureText } from './stand.ts'

const fixture = (name: string) => new URL(`../../../fixtures/ingress/${name}`, import.meta.url).pathname
const own = { cert: fixture('own.pem'), key: fixture('own.key') }

function read(ingress: object): Promise<ReadSettings | undefined> {
  const { ingress: usual } = loadConfig({ repository: '/srv/manifests' }, {})
  if (usual === undefined) throw new Error('there is an ingress unless told')
  return ingressSettings({ ...usual, ...ingress }, { compose: text => new Secret(text, 'mark') })
}

async function settingsOf(ingress: object): Promise<IngressSettings> {
  const settings = await read(ingress)
  if (settings?.state === 'usable') return settings.settings
  throw new Error('they cannot be used', { cause: settings })
}

async function fault(ingress: object): Promise<string> {
  const settings = await read(ingress)
  if (settings?.state !== 'unusable') throw new Error('they can be used')
  const { code, message, hint } = settings.problem
  expect({ code, hint }).to.deep.equal({
    code: 'config-invalid',
    hint: 'Correct the file, or the key in tallyman.yaml that names it; until then the ingress stays as it is.',
  })
  return message
}

describe('the files that the ingress is made with', () => {
  it('G3 has the image pinned once, as it is configured', async () => {
    expect((await settingsOf({})).image).to.deep.equal({
      reference: 'docker.io/library/caddy:2',
      configuredIn: 'ingress',
      pin: { state: 'unknown', reason: 'not resolved yet' },
    })
  })

  it('G16 reads certificates with the hosts they name; their keys are secrets', async () => {
    const [certificate] = (await settingsOf({ certificates: [own] })).certificates
    expect(certificate?.chain).to.equal(await fixtureText('own.pem'))
    expect(certificate?.names).to.deep.equal(['own.example.com', '*.wild.example.com'])
    expect(String(certificate?.key)).to.equal('(secret)')
    expect(certificate?.key.reveal()).to.equal(await fixtureText('own.key'))
  })

  it('P33 reads the root that vouches for a private authority', async () => {
    const directory = 'https://ca.internal/acme/acme/directory'
    const { acme } = await settingsOf({ acme: { directory, root: own.cert } })
    expect(acme).to.deep.equal({ directory, root: await fixtureText('own.pem') })
  })

  it('P12 P33 takes over what is said besides, the page as its file has it', async () => {
    const settings = await settingsOf({
      isExternal: true,
      http: { port: 81, hostIp: '127.0.0.1' },
      health: { port: 8081 },
      accessLog: true,
      trustedProxies: ['192.0.2.0/24'],
      unavailablePage: own.cert,
    })
    expect(settings).to.deep.include({
      isExternal: true,
      http: { port: 81, hostIp: '127.0.0.1' },
      health: { port: 8081 },
      accessLog: true,
      trustedProxies: ['192.0.2.0/24'],
      unavailablePage: await fixtureText('own.pem'),
    })
    expect(await settingsOf({})).to.not.have.any.keys('isExternal', 'health', 'unavailablePage')
  })

  it('G3 has another mark when a file has another content, and none where there is no ingress', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-page-'))
    const unavailablePage = join(directory, 'page.html')
    const markWith = async (content: string) => {
      await writeFile(unavailablePage, content)
      return settingsMark(await read({ unavailablePage }))
    }
    const [first, again, other] = [await markWith('one'), await markWith('one'), await markWith('two')]
    await rm(directory, { recursive: true })
    expect([first === again, first === other, first === '', settingsMark(undefined)]).to.deep.equal([
      true,
      false,
      false,
      '',
    ])
  })

  it('G3 is looked at again at any time where it is made of files, and of any one', () => {
    const { ingress: usual } = loadConfig({ repository: '/srv/manifests' }, {})
    if (usual === undefined) throw new Error('there is an ingress unless told')
    expect([undefined, usual].map(namesFiles)).to.deep.equal([false, false])
    const each = [
      { certificates: [own] },
      { unavailablePage: own.cert },
      { acme: { ...usual.acme, root: own.cert } },
    ]
    expect(each.map(files => namesFiles({ ...usual, ...files }))).to.deep.equal([true, true, true])
  })

  it('names the image that cannot be read', async () => {
    expect(await fault({ image: 'caddy:' })).to.match(/^\/ingress\/image: "caddy:" /)
  })

  it('names the key of the file that cannot be read', async () => {
    expect(await fault({ certificates: [own, { ...own, key: '/nowhere/key' }] })).to.equal(
      '/ingress/certificates/1/key: /nowhere/key cannot be read (ENOENT)',
    )
    expect(await fault({ unavailablePage: '/nowhere/page' })).to.equal(
      '/ingress/unavailablePage: /nowhere/page cannot be read (ENOENT)',
    )
  })

  it('names the key of the file that is not what it has to be', async () => {
    expect(await fault({ certificates: [{ ...own, cert: own.key }] })).to.equal(
      `/ingress/certificates/0/cert: ${own.key} is no certificate in PEM`,
    )
    expect(await fault({ acme: { root: own.key } })).to.equal(
      `/ingress/acme/root: ${own.key} is no certificate in PEM`,
    )
    expect(await fault({ certificates: [{ ...own, key: own.cert }] })).to.equal(
      `/ingress/certificates/0/key: ${own.cert} is no private key in PEM, or one with a password`,
    )
  })

  it('refuses a key that belongs to another certificate', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tallyman-key-'))
    const key = join(directory, 'other.key')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const message = await fault({ certificates: [{ ...own, key }] })
    await rm(directory, { recursive: true })
    expect(message).to.equal(`/ingress/certificates/0/key: ${key} does not belong to ${own.cert}`)
  })
})
