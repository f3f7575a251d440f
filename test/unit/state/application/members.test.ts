import { expect } from 'chai'
import type { Container } from '../../../../lib/state/application/container/container.ts'
import { containersOf, mapContainers, membersOf } from '../../../../lib/state/application/members.ts'
import { application, instance, service } from '../../../support/builders/builders.ts'

const whole = instance({ name: 'web', beside: ['helper'], init: 'prepare' })
const namesOf = (containers: readonly Container[]) => containers.map(({ name }) => name)

/** The same container under a name that tells it was changed. */
const renamed = (container: Container): Container => ({ ...container, name: `${container.name}!` })

describe('the containers of an instance', () => {
  it('C50 come in the order in which they are created: sandbox, init containers, containers', () => {
    expect(namesOf(membersOf(whole))).to.deep.equal(['sandbox', 'prepare', 'web', 'helper'])
    expect(namesOf(membersOf(instance()))).to.deep.equal(['web'])
  })
})

describe('the containers of a service', () => {
  const own = { ...service({ jobs: ['pre', 'post'] }), instances: [whole, instance({ name: 'other' })] }

  it('X3 are those of all its instances and of its jobs', () => {
    expect(namesOf(containersOf(own))).to.deep.equal([
      'sandbox',
      'prepare',
      'web',
      'helper',
      'other',
      'pre',
      'post',
    ])
  })

  it("G10 are none where it is the operator's", () => {
    const configuration = { newer: '', older: '' }
    const routing = { runBy: 'operator' as const, routes: [], configuration, mark: '', networks: [] }
    expect(containersOf({ ...own, traffic: { role: 'proxy', routing } })).to.deep.equal([])
  })

  it('D5 are all put through a change, and nothing else is changed', () => {
    const before = application('shop', [own, service({ name: 'plain' })])
    const after = mapContainers(before, renamed)
    expect(after.services.map(one => namesOf(containersOf(one)))).to.deep.equal([
      ['sandbox!', 'prepare!', 'web!', 'helper!', 'other!', 'pre!', 'post!'],
      ['plain!'],
    ])
    const back = (container: Container) => ({ ...container, name: container.name.slice(0, -1) })
    expect(mapContainers(after, back)).to.deep.equal(before)
  })

  it('G24 stay one value where they were one: of a thousand replicas each container is changed once', () => {
    const changes: string[] = []
    const one = instance()
    const [after] = mapContainers(
      application('shop', [{ ...service(), instances: Array.from({ length: 1_000 }, () => one) }]),
      container => {
        changes.push(container.name)
        return renamed(container)
      },
    ).services
    expect(changes).to.deep.equal(['web'])
    expect([after?.instances.length, new Set(after?.instances).size]).to.deep.equal([1_000, 1])
    expect(namesOf(after?.instances.at(-1)?.containers ?? [])).to.deep.equal(['web!'])
  })
})
