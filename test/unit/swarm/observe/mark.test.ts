import { expect } from 'chai'
import { alteredText } from '../../../../lib/state/running/altered.ts'
import { modeOf, type ServiceSpec } from '../../../../lib/swarm/api/service.ts'
import { serviceMarkOf } from '../../../../lib/swarm/observe/mark.ts'

const key = Buffer.alloc(32, 1)
const spec: ServiceSpec = {
  Name: 'prod_web',
  Labels: { 'tallyman.service': 'web' },
  TaskTemplate: { ContainerSpec: { Image: 'web@sha256:1', Env: ['PASSWORD=secret'] }, ForceUpdate: 0 },
  Mode: { Replicated: { Replicas: 2 } },
  EndpointSpec: { Mode: 'vip' },
}
const { TaskTemplate } = spec

/** What is said of a service that somebody changed. */
function said(now: ServiceSpec): string | undefined {
  return alteredText(serviceMarkOf(spec, key), serviceMarkOf(now, key))
}

describe('what somebody changed in a service of a Swarm', () => {
  const containerOf = (more: object) => ({
    ...spec,
    TaskTemplate: {
      ...TaskTemplate,
      ContainerSpec: { ...TaskTemplate.ContainerSpec, Image: 'web@sha256:1', ...more },
    },
  })
  const table: readonly (readonly [what: string, now: ServiceSpec, words: string | undefined])[] = [
    ['nothing', spec, undefined],
    ['its place among other keys', { Mode: spec.Mode ?? {}, ...spec }, undefined],
    ['a new start of all tasks', { ...spec, TaskTemplate: { ...TaskTemplate, ForceUpdate: 3 } }, undefined],
    ['its number, which is compared with the wanted one', { ...spec, Mode: modeOf(5) }, undefined],
    ['its image', containerOf({ Image: 'web:3' }), 'image changed to web:3'],
    ['a variable', containerOf({ Env: ['PASSWORD=other'] }), 'variables changed by hand'],
    ['its command and mounts', containerOf({ Args: ['x'], Mounts: [{}] }), 'command, mounts changed by hand'],
    ['its labels', { ...spec, Labels: {} }, 'labels changed by hand'],
    ['its ports', { ...spec, EndpointSpec: { Mode: 'dnsrr' } }, 'ports changed by hand'],
    ['anything else', containerOf({ Hostname: 'x' }), 'settings changed by hand'],
  ]
  for (const [what, now, words] of table)
    it(`D2 is told: ${what}`, () => {
      expect(said(now)).to.equal(words)
    })

  it('G16 is remembered without a word of its variables', () => {
    const text = JSON.stringify(serviceMarkOf(spec, key))
    expect(text).not.to.include('secret')
    expect(serviceMarkOf(spec, Buffer.alloc(32, 2))['variables'], 'a key is needed to guess').not.to.equal(
      serviceMarkOf(spec, key)['variables'],
    )
  })
})
