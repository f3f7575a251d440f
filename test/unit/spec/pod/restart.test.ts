import { expect } from 'chai'
import { app, builtPod, pod } from './built-pod.ts'

const saying = (value: string) => [{ name: 'tallyman/restart', value }]

describe('what happens when an app of a pod ends', () => {
  for (const [word, restart] of [
    ['never', { restart: { name: 'no' }, mayEnd: true }],
    ['on-failure', { restart: { name: 'on-failure' }, mayEnd: true }],
    ['always', { restart: { name: 'unless-stopped' } }],
  ] as const)
    it(`X5 is "${word}" for every app if an annotation of the pod says so`, () => {
      const { apps, problems } = builtPod(
        pod({ apps: [app({}), app({ name: 'second' })], annotations: saying(word) }),
      )
      expect(problems).to.deep.equal([])
      expect(apps.map(({ restart, mayEnd }) => ({ restart, ...(mayEnd && { mayEnd }) }))).to.deep.equal([
        restart,
        restart,
      ])
    })

  it('X5 is that it is started again if nothing says otherwise', () => {
    const { apps } = builtPod(pod({ apps: [app({})] }))
    expect(apps[0]).to.deep.include({ restart: { name: 'unless-stopped' } })
    expect(apps[0]).not.to.have.property('mayEnd')
  })

  it('X5 is refused where it is misspelt, and where one app says it for itself', () => {
    const { problems } = builtPod(
      pod({ apps: [app({ annotations: saying('never') })], annotations: saying('constructor') }),
    )
    expect(problems).to.deep.equal([
      '/apps/0/annotations/0/name is for the pod as a whole; write it among the annotations of the pod (pod-invalid)',
      '/annotations/0/value "constructor" is none of always, on-failure, never (pod-invalid)',
    ])
  })
})
