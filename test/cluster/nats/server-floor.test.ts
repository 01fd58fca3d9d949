import t from 'tap'
import { isServerTaken, olderServerText } from '../../../src/cluster/nats/server-floor.ts'
import { inBoth } from '../../../src/domain/in-both.ts'

const TAKEN = ['2.14.5', '2.14.6', '2.15.0', '2.15.1', 'v2.15.1', '2.15.1-preview.2', '2.14.5+b3']
const TAKEN_OF_THE_OLD_LINE = ['2.12.15', '2.12.16', '2.12.100', '2.12.16-RC.1']
const REFUSED = ['2.9.10', '2.10.27', '2.11.99', '2.12.14', '2.12.15-RC.1', '2.13.0', '2.13.99']
const REFUSED_NEW = ['2.14.0', '2.14.4', '2.14.5-RC.1', '2.14.5-preview', '1.99.99', '0.0.0']
const UNREADABLE = [
  '',
  '2',
  '2.15',
  'latest',
  '2.15.x',
  '2.15.1 ',
  '99999.1.1',
  '2.15.1.1',
  '-2.15.1',
]

t.test('a server is taken from 2.14.5 on, of the line 2.12 from 2.12.15 on', (t) => {
  for (const version of [...TAKEN, ...TAKEN_OF_THE_OLD_LINE, '3.0.0']) {
    t.equal(isServerTaken(version), true, version)
  }
  for (const version of [...REFUSED, ...REFUSED_NEW, ...UNREADABLE]) {
    t.equal(isServerTaken(version), false, version || 'nothing')
  }
  t.end()
})

t.test('the refusal says what was found, where, and what to install', (t) => {
  const { zh, en } = inBoth(olderServerText('host:4222', '2.9.10'))
  for (const text of [zh, en]) {
    for (const part of ['host:4222', '2.9.10', '2.14.5', '2.12.15']) t.match(text, part)
  }
  t.notMatch(zh, /too old/)
  t.end()
})
