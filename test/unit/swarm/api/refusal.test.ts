import { expect } from 'chai'
import { catalogue } from '../../../../lib/errors/catalogue.ts'
import { failureOnSwarm, whyUnavailable } from '../../../../lib/swarm/api/asked.ts'

const told = (status: number, message: string) => {
  const { code, message: words } = failureOnSwarm('cluster', 'shop_web', { ok: false, status, message })
  return `${code}: ${words}`
}

describe('what a manager of a Swarm refuses', () => {
  // As managers say it when the leader is lost in the middle of a call, in words of gRPC or of raft.
  for (const [status, message] of [
    [500, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'],
    [504, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'],
    [500, 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status'],
    [
      503,
      'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.1:2377: connect: connection refused"',
    ],
    [500, 'rpc error: code = Canceled desc = context canceled'],
    [500, 'context deadline exceeded'],
    [500, 'rpc error: code = Unknown desc = context deadline exceeded'],
    [500, 'rpc error: code = Unknown desc = context canceled'],
    [500, 'rpc error: code = Unknown desc = raft: failed to process the request: node is stopped'],
    [500, 'rpc error: code = Unknown desc = raft: no cluster leader'],
    [500, 'rpc error: code = Unknown desc = EOF'],
    [500, 'rpc error: code = Internal desc = stream terminated by RST_STREAM with error code: CANCEL'],
  ] as const)
    it(`G17 D18 says nothing about a service if its leader does not answer: ${message}`, () => {
      const failure = told(status, message)
      expect(failure).to.equal(
        `swarm-unavailable: cluster: the leader of its Swarm does not answer: ${message}`,
      )
    })

  it('G17 D18 has no leader, also where a manager hands on what the control of the Swarm says of it', () => {
    const words =
      "The swarm does not have a leader. It's possible that too few managers are online. Make sure more than half of the managers are online."
    for (const [status, message] of [
      [503, words],
      [500, `rpc error: code = Unknown desc = ${words}`],
    ] as const)
      expect(told(status, message)).to.equal(
        'swarm-unavailable: cluster: its Swarm has no leader: most of its managers do not answer',
      )
  })

  it('G13 is a state of its engine whose certificates have expired, in words that say what to do', () => {
    const message = 'Swarm certificates have expired. To replace them, leave the swarm and join again.'
    expect(told(503, message)).to.equal(
      'swarm-unavailable: cluster: its certificates have expired: have it leave its Swarm, and join again',
    )
  })

  it('D18 may have been done where a leader was lost, so that no other manager is told it again', () => {
    const message = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'
    expect(whyUnavailable({ status: 500, message })).to.equal(undefined)
    expect(whyUnavailable({ status: 503, message: 'The swarm does not have a leader.' })).to.equal(
      'its Swarm has no leader: most of its managers do not answer',
    )
  })

  it('D18 means that somebody was faster, so that all is looked at and planned anew', () => {
    const message = 'rpc error: code = Unknown desc = update out of sequence'
    expect(told(500, message)).to.equal(
      `service-changed: cluster: shop_web: something changed at the same time: ${message}`,
    )
    expect(catalogue['service-changed'].retry).to.equal('backoff')
  })

  it("G13 is a port of another's service, which the Swarm publishes on all of its nodes", () => {
    const message =
      "rpc error: code = InvalidArgument desc = port '80' is already in use by service 'theirs' (a1) as an ingress port"
    expect(told(400, message)).to.equal(`port-taken: cluster: shop_web: ${message}`)
  })

  it('is about the service if it names a leader or a deadline that are its own', () => {
    const message =
      'rpc error: code = InvalidArgument desc = ContainerSpec: name context-deadline-exceeded is bad'
    expect(told(400, message)).to.equal(`engine-refused: cluster: shop_web: ${message}`)
    const large = "rpc error: code = Unknown desc = raft: raft message is too large and can't be sent"
    expect(told(500, large)).to.equal(`engine-refused: cluster: shop_web: ${large}`)
    expect(told(409, 'name conflicts with an existing object: service leader already exists')).to.equal(
      'engine-refused: cluster: shop_web: name conflicts with an existing object: service leader already exists',
    )
  })
})
