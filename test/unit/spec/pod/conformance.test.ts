import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseQuantity } from '../../../../lib/spec/pod/grammar/quantity.ts'
import type { Mount } from '../../../../lib/state/application/container/container.ts'
import { app, builtPod, pod } from './built-pod.ts'

type Case = Readonly<Record<string, unknown>> & { readonly name?: string; readonly valid?: boolean }

/** The cases of the specification and of its reference implementation. */
function casesOf(file: string): readonly Case[] {
  const url = new URL(`../../../../fixtures/conformance/appc/${file}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')).cases
}

const everything = { hostMounts: ['/'], securityOptions: [] } as const

describe('the cases of the App Container specification', () => {
  describe('C1 C2 C3 C7 whole pod manifests', () => {
    for (const { name, valid, specTextValid, input } of casesOf('pod-manifests')) {
      // pods.md asks for a stricter name than aci.md and the reference, which count here.
      const isRight = name === 'pod annotation name with dots' ? true : (specTextValid ?? valid)
      it(`${isRight === true ? 'accepts' : 'refuses'} ${name}`, () => {
        const { problems } = builtPod(input, { policy: everything })
        expect(problems.length === 0, problems.join('\n')).to.equal(isRight)
      })
    }
  })

  describe('C41 quantities', () => {
    for (const { input, valid, value, milliValue } of casesOf('quantities'))
      it(`${valid === true ? `reads "${input}" as ${value}` : `refuses "${input}"`}`, () => {
        const quantity = parseQuantity(String(input))
        expect(quantity.ok).to.equal(valid)
        if (!quantity.ok) return
        expect(String(quantity.value.whole)).to.equal(value)
        if (milliValue !== undefined) expect(String(quantity.value.thousandths)).to.equal(milliValue)
      })
  })

  describe('C3 names, identifiers, versions and ids', () => {
    const manifests: Readonly<Record<string, (text: string) => object>> = {
      ACName: name => pod({ apps: [app({ name })] }),
      ACIdentifier: name => pod({ annotations: [{ name, value: '' }] }),
      SemVer: acVersion => pod({ acVersion }),
      Hash: id => pod({ apps: [app({ image: { name: 'main', id } })] }),
    }
    /** Where the prose is stricter, it counts; a digest of a registry is an extension (X10); the version may not be newer. */
    const otherwise: Readonly<Record<string, boolean>> = {
      'ACName foo--bar': false,
      'SemVer 1.0.0': false,
      'SemVer 3.2.1-foo': false,
      'Hash sha256-f48a20f48cbc2b965e37ff9144048c644890cb37cefa85fafc8fae7f89b15455': true,
    }
    for (const { type, input, valid, specTextValid = valid } of casesOf('type-strings')) {
      const manifest = manifests[String(type)]
      if (manifest === undefined) continue
      const isRight = otherwise[`${type} ${input}`] ?? specTextValid
      it(`${isRight === true ? 'accepts' : 'refuses'} the ${type} ${JSON.stringify(input)}`, () => {
        const { problems } = builtPod(manifest(String(input)))
        expect(problems.length === 0, problems.join('\n')).to.equal(isRight)
      })
    }
  })

  describe('C2 C10 C14 C20 C21 C40 values', () => {
    const manifests: Readonly<Record<string, (value: unknown) => object>> = {
      Annotations: annotations => pod({ annotations }),
      Labels: labels => pod({ apps: [app({ image: { name: 'main', id: 'sha512-00', labels } })] }),
      Environment: environment => pod({ apps: [app({}, { environment })] }),
      App: itself => pod({ apps: [app({ app: itself })] }),
      Port: port => pod({ apps: [app({}, { ports: [port] })] }),
      ExposedPort: port => pod({ ports: [port] }),
      Volume: volume => pod({ volumes: [volume] }),
      EventHandler: handler => pod({ apps: [app({}, { eventHandlers: [handler] })] }),
      Isolator: isolator =>
        JSON.stringify(isolator).includes('sysctl')
          ? pod({ isolators: [isolator] })
          : pod({ apps: [app({}, { isolators: [isolator] })] }),
    }
    const policy = {
      securityOptions: [
        'apparmor=rkt-default',
        'label=user:user_u',
        'label=role:role_r',
        'label=type:type_r',
        'label=level:s0-s0',
      ],
    }
    for (const { type, input, inputText, valid } of casesOf('json-values')) {
      const text = JSON.stringify(input ?? inputText)
      // The prose lists the suffix K, which the reference does not know.
      const isRight = text.includes('"1K"') ? true : valid
      it(`${isRight === true ? 'accepts' : 'refuses'} the ${type} ${text}`, () => {
        const { problems } = builtPod(manifests[String(type)]?.(input ?? inputText), { policy })
        expect(problems.length === 0, problems.join('\n')).to.equal(isRight)
      })
    }
  })

  describe('C40 capabilities', () => {
    for (const { name, isolators, ok, capabilities, noNewPrivileges } of casesOf('capabilities'))
      it(`${name}`, () => {
        const { problems, apps } = builtPod(pod({ apps: [app({}, { isolators })] }))
        expect(problems.length === 0, problems.join('\n')).to.equal(ok)
        if (ok !== true) return
        const [{ capAdd, securityOpt = [] } = { capAdd: undefined }] = apps
        if (JSON.stringify(isolators).includes('capabilities'))
          expect(capAdd?.map(one => `CAP_${one}`)).to.have.members([...(capabilities as readonly string[])])
        expect(securityOpt.includes('no-new-privileges:true')).to.equal(noNewPrivileges)
      })
  })

  describe('C22 C23 mounts', () => {
    for (const { name, app: written, volumes, ok, mounts } of casesOf('mounts'))
      it(`${name}`, () => {
        const { problems, apps } = builtPod(pod({ apps: [written], volumes }), { policy: everything })
        expect(problems.length === 0, problems.join('\n')).to.equal(ok)
        if (ok === true) expect((apps[0]?.mounts ?? []).map(told)).to.deep.equal(mounts)
      })
  })

  describe('C30 C31 ports', () => {
    for (const { name, manifest, ok, forwarded } of casesOf('ports'))
      it(`${name}`, () => {
        const { problems, instance } = builtPod(manifest, {
          containers: [{ dockerName: 'a', dockerTag: '1' }],
        })
        expect(problems.length === 0, problems.join('\n')).to.equal(ok)
        if (ok !== true) return
        const ports = (instance?.sandbox?.ports ?? []).map(
          ({ hostIp = '0.0.0.0', published, target, protocol }) => ({
            hostIP: hostIp,
            hostPort: published,
            port: target,
            protocol,
          }),
        )
        expect(ports).to.deep.equal(
          (forwarded as readonly object[]).map(one => {
            const { hostIP, hostPort, port, protocol } = one as Readonly<Record<string, unknown>>
            return { hostIP, hostPort, port, protocol }
          }),
        )
      })
  })
})

/** A mount as the table tells it. */
function told(mount: Mount): object {
  const isHost = mount.kind === 'host'
  return {
    kind: isHost ? 'host' : 'empty',
    path: mount.path,
    readOnly: 'readOnly' in mount && mount.readOnly === true,
    source: isHost ? mount.source : '',
    volume: isHost ? volumeAt(mount.source) : 'name' in mount ? mount.name : undefined,
  }
}

/** The sources of the table, and the volumes that they belong to. */
function volumeAt(source: string): string {
  return { '/host/foo': 'foo-mount', '/host/bar': 'foo-mp', '/o': 'other' }[source] ?? ''
}
