import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { backUpAll } from '../../../src/service/backups/backup-command.ts'
import { databasesIn } from '../../../src/storage/backup.ts'
import { unreadable } from '../../unread.ts'
import { LIMITS, lived } from './fixtures/folders.ts'

const ACCOUNT = '10000001'

t.test(
  'F1016 a folder in which this user may not look for a database keeps no other from being copied',
  async (t) => {
    const folder = t.testdir({ data: {} })
    const [dataDir, target] = [join(folder, 'data'), join(folder, 'copy')]
    await lived(dataDir, ACCOUNT, 3)
    const ofAnother = join(dataDir, 'of-root')
    mkdirSync(ofAnother)
    unreadable(t, (path) => path.startsWith(ofAnother), { code: 'EACCES' })
    const write = () => undefined
    const left = await backUpAll({ dataDir, target, limits: LIMITS, write })
    const text = `未备份 (not copied): ${ofAnother}: 当前用户无权查看，请改正其所有者和权限 (this user may not look into it: mend its owner and rights)`
    t.strictSame(left, { ok: false, error: { text, isPartial: true } })
    t.strictSame(databasesIn(target), [join(ACCOUNT, 'db')])
  },
)
