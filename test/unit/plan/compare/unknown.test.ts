import { expect } from 'chai'
import { pinAsRunning } from '../../../../lib/plan/compare/unknown.ts'
import type { Instance, Service } from '../../../../lib/state/application/application.ts'
import type { Container, Pin } from '../../../../lib/state/application/container/container.ts'
import { membersOf } from '../../../../lib/state/application/members.ts'
import type { LiveContainer } from '../../../../lib/state/running/live.ts'
import { application, container, desired, digest, live, service } from '../../../support/builders/builders.ts'

const unknown: Pin = { state: 'unknown', reason: 'the registry does not answer' }
const pinned = (digit: string): Pin => ({ state: 'pinned', digest: digest(digit) })

/** An instance of these containers, the first of them a sandbox where there are several. */
function instanceOf(...containers: readonly [Container, ...Container[]]): Instance {
  const [first, second, ...others] = containers
  return second === undefined
    ? { containers: [first], network: { name: 'prod' }, volumes: [] }
    : { sandbox: first, containers: [second, ...others], network: { name: 'prod' }, volumes: [] }
}

function serviceOf(...instances: readonly Instance[]): Service {
  return { ...service(), instances }
}

function runs(...instances: readonly Instance[]): readonly LiveContainer[] {
  return live(desired(application('web', [serviceOf(...instances)]))).containers
}

/** What is known of each image of a service, in the order of its containers, or why it is not. */
function pins(own: Service, there: readonly LiveContainer[]): string | readonly string[] {
  const answer = pinAsRunning('prod', application('web', [own]), own, there)
  if (answer.state === 'unknown') return answer.reason
  return answer.service.instances
    .flatMap(membersOf)
    .map(({ image: { pin } }) => (pin.state === 'pinned' ? (pin.digest.at(-1) ?? '') : pin.state))
}

const web = (pin: Pin, tag = '1') => container({ name: 'web', tag, pin })
const log = (pin: Pin) => container({ name: 'log', tag: '1', pin })

describe('a tag that nobody could resolve', () => {
  const running = runs(instanceOf(web(pinned('a'))))

  it('D5 is what runs under the same tag, if nothing else differs', () => {
    expect(pins(serviceOf(instanceOf(web(unknown))), running)).to.deep.equal(['a'])
  })

  it('D5 is unknown where another tag runs, something else differs, or nothing runs', () => {
    expect(pins(serviceOf(instanceOf(web(unknown, '2'))), running)).to.equal('the registry does not answer')
    const other = instanceOf({ ...web(unknown), env: { MODE: 'fast' } })
    expect(pins(serviceOf(other), running)).to.equal('the registry does not answer')
    expect(pins(serviceOf(instanceOf(web(unknown))), [])).to.equal('the registry does not answer')
  })

  it('D5 is found for each container of an instance by its own tag', () => {
    const both = runs(instanceOf(web(pinned('a')), log(pinned('b'))))
    expect(pins(serviceOf(instanceOf(web(unknown), log(unknown))), both)).to.deep.equal(['a', 'b'])
  })

  it('D5 takes nothing from what is known: a digest that is demanded and does not run is a difference', () => {
    const both = runs(instanceOf(web(pinned('a')), log(pinned('b'))))
    expect(pins(serviceOf(instanceOf(web(pinned('c')), log(unknown))), both)).to.equal(
      'the registry does not answer',
    )
  })

  it('D5 leaves the instances alone whose images are all known, and is unknown for all as soon as it is for one', () => {
    const known = instanceOf(web(pinned('c')))
    expect(pins(serviceOf(known, instanceOf(web(unknown))), running)).to.deep.equal(['c', 'a'])
    expect(pins(serviceOf(known, instanceOf(web(unknown, '2'))), running)).to.equal(
      'the registry does not answer',
    )
    expect(pins(serviceOf(known), [])).to.deep.equal(['c'])
  })
})
