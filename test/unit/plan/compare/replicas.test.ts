import { expect } from 'chai'
import { diff } from '../../../../lib/plan/compare/diff.ts'
import { mapContainers } from '../../../../lib/state/application/members.ts'
import { application, desired, instance, live, service } from '../../../support/builders/builders.ts'

describe('many replicas', () => {
  it('G24 reads what an instance is made of a few times, however many there are of it', () => {
    let reads = 0
    const { containers, ...rest } = instance()
    const [container] = containers
    const counting = {
      ...container,
      get labels() {
        reads += 1
        return { a: 'b' }
      },
    }
    const one = { ...rest, containers: [counting] as const }
    const many = { ...service(), instances: Array.from({ length: 1_000 }, () => one) }
    const { differences } = diff(desired(application('web', [many])), live(), { applied: new Map() })
    expect(differences[0]?.missing).to.have.length(1_000)
    expect(reads).to.be.below(10)
  })

  it('G24 are made once for all sites', () => {
    const wanted = desired(application('web', [{ ...service(), instances: [instance(), instance()] }]))
    const missingOn = (site: string) =>
      diff(wanted, { ...live(), site }, { applied: new Map() }).differences.flatMap(({ missing }) => missing)
    const [north, south] = [missingOn('north'), missingOn('south')]
    expect(north).to.have.length(2)
    expect(south.map((one, index) => one === north[index])).to.deep.equal([true, true])
  })

  it('G24 changes the containers of equal instances once', () => {
    const one = instance()
    const many = { ...service(), instances: Array.from({ length: 1_000 }, () => one) }
    let changes = 0
    const changed = mapContainers(application('web', [many]), container => {
      changes += 1
      return { ...container }
    })
    expect(changes).to.equal(1)
    expect(new Set(changed.services[0]?.instances).size).to.equal(1)
  })
})
