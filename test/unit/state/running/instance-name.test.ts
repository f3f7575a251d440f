import { expect } from 'chai'
import { instanceName, isNameOfAnother } from '../../../../lib/state/running/instance-name.ts'

const second = { environment: 'prod', service: 'web', instance: 2, fingerprint: 'v1:0f8e7d6c5b4a' }

describe('the name of an instance', () => {
  it('says its environment, its service, its number and the beginning of its fingerprint', () => {
    expect(instanceName(second)).to.equal('prod.web.2.0f8e7d6c')
  })

  it('D9 is another one if service, number or fingerprint are, also with that of a container behind', () => {
    const others = [
      'prod.web.1.0f8e7d6c',
      'prod.web.2.0123abcd',
      'prod.api.2.0f8e7d6c',
      'prod.web.1.0f8e7d6c.log',
      'prod.web.1.0f8e7d6c.log.kept-f00dca',
    ]
    expect(others.filter(name => !isNameOfAnother(name, second))).to.deep.equal([])
  })

  it('D9 is no other one with a container, what was kept, or routes behind, nor is any name that no instance has', () => {
    const own = ['', '.log', '.kept-f00dca', '.routes-0123abcd'].map(end => `prod.web.2.0f8e7d6c${end}`)
    const none = ['prod.web.1.0f8e7d6c.stray-f00dca', 'prod.web.pre.0123abcd', 'mine', 'test.web.1.0f8e7d6c']
    expect([...own, ...none].filter(name => isNameOfAnother(name, second))).to.deep.equal([])
  })

  it('D9 is none that an environment or a service is only called like', () => {
    const of = { ...second, environment: 'v.1.0123abcd' }
    expect(isNameOfAnother('v.1.0123abcd.web.pre.0f8e7d6c', of)).to.equal(false)
    expect(isNameOfAnother('v.1.0123abcd.web.1.0f8e7d6c', of)).to.equal(true)
    const dotted = { ...second, service: 'w.1.0123abcd' }
    const jobs = ['prod.w.1.0123abcd.pre.0f8e7d6c', 'prod.w.1.0123abcd.pre.0f8e7d6c.kept-f00dca']
    expect(jobs.filter(name => isNameOfAnother(name, dotted))).to.deep.equal([])
    expect(isNameOfAnother('prod.w.1.0123abcd.1.0f8e7d6c', dotted)).to.equal(true)
  })
})
