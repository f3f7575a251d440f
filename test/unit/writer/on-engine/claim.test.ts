import { expect } from 'chai'
import {
  askName,
  claimLabels,
  claimName,
  claimOn,
  markName,
  plainLabels,
  readClaims,
} from '../../../../lib/writer/on-engine/claim.ts'
import { thisProcess } from '../../../../lib/writer/on-engine/machine.ts'

const claim = claimOn({ source: 'ops/manifests', environment: 'prod' })
const me = { id: 'p1', machine: 'm1', who: 'pid 71 on node-3' }

function volume(
  number: number,
  labels = claimLabels(claim, 'prod', me, 'k1', undefined),
  createdAt?: string,
) {
  return { name: claimName(claim, number), labels, ...(createdAt === undefined ? {} : { createdAt }) }
}

describe('a claim on an engine', () => {
  it('D17 is on one environment of one repository', () => {
    const of = (source: string, environment: string) => claimOn({ source, environment })
    expect(claim).to.equal(of('ops/manifests', 'prod'))
    const others = [of('ops/manifests', 'devel'), of('ops/other', 'prod'), of('ops/manifestsp', 'rod')]
    expect(new Set([claim, ...others]).size).to.equal(4)
  })

  it('D17 is read with who holds it, where and since when, the newest first', () => {
    const later = claimLabels(claim, 'prod', { id: 'p2', machine: 'm2', who: 'pid 9 on node-4' }, 'k2', 'p1')
    const seen = readClaims(claim, [
      volume(9, undefined, '2026-03-01T12:00:00+01:00'),
      volume(10, later, 'soon'),
      { name: askName(claim, 'p3'), labels: plainLabels(claim, 'prod', me) },
      { name: markName(claim, 'm1'), labels: plainLabels(claim, 'prod', me) },
    ])
    expect(seen).to.deep.equal({
      claims: [
        { number: 10, holder: 'p2', mark: 'k2', machine: 'm2', who: 'pid 9 on node-4', after: 'p1' },
        {
          number: 9,
          holder: 'p1',
          mark: 'k1',
          machine: 'm1',
          who: 'pid 71 on node-3',
          since: '2026-03-01T11:00:00.000Z',
        },
      ],
      asking: ['p3'],
      marks: ['m1'],
      imitated: 0,
    })
  })

  it('G24 is told from what only has its name, and what can have no successor is none', () => {
    const { 'tallyman.claim.holder': _, ...noHolder } = claimLabels(claim, 'prod', me, 'k1', undefined)
    const foreign = claimLabels(
      claimOn({ source: 'ops/other', environment: 'prod' }),
      'prod',
      me,
      'k1',
      undefined,
    )
    const names = [
      'tallyman-claim',
      `tallyman-claim-${claim}-007`,
      `tallyman-claim-${claim}-${'9'.repeat(40)}`,
    ]
    const seen = readClaims(claim, [
      volume(3, noHolder),
      volume(2, foreign),
      ...names.map(name => ({ name, labels: claimLabels(claim, 'prod', me, 'k1', undefined) })),
    ])
    expect(seen).to.deep.equal({ claims: [], asking: [], marks: [], imitated: 3 })
  })

  it('G24 says no more of its holder than fits into a message', () => {
    const labels = claimLabels(claim, 'prod', { ...me, who: 'x'.repeat(5_000) }, 'k1', undefined)
    expect(readClaims(claim, [volume(1, labels)]).claims[0]?.who.length).to.be.at.most(1_000)
  })

  it('D17 has a process of its own each time, and one machine as long as processes see each other there', () => {
    const [one, other] = [thisProcess(), thisProcess()]
    expect(one.machine).to.equal(other.machine)
    expect(one.id).not.to.equal(other.id)
    expect(one.who).to.match(new RegExp(`^pid ${process.pid} on .`))
  })
})
