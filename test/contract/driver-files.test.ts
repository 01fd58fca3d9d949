import t from 'tap'
import { openBigqmtRig } from '../drivers/bigqmt/rig.ts'
import { driverContract } from './driver.ts'

t.test('a script that is reached over files', async (t) =>
  driverContract(t, () => openBigqmtRig(t.testdir(), { transport: 'files' })),
)
