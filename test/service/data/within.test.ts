import { posix, win32 } from 'node:path'
import t from 'tap'
import { isWithin } from '../../../src/service/data/within.ts'

t.test('F657 what lies on another drive of Windows lies in no folder of this one', (t) => {
  t.notOk(isWithin('D:\\steward\\data', 'E:\\backups\\20261129', win32), 'a backup on a stick')
  t.notOk(isWithin('D:\\data', 'C:\\Users\\who', win32), 'the home, or the program')
  t.notOk(isWithin('D:\\data', '\\\\nas\\share\\copy', win32), 'a share')
  t.ok(isWithin('D:\\data', 'd:\\Data\\backups', win32))
  t.notOk(isWithin('D:\\data', 'D:\\data2', win32))
  t.ok(isWithin('/data', '/data', posix))
  t.ok(isWithin('/data', '/data/..copies', posix), 'a name that begins like the way up')
  t.notOk(isWithin('/data', '/backups/data', posix))
  t.end()
})
