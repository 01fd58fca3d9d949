import t from 'tap'
import { openXtRig, RELEASES } from '../drivers/xt/rig.ts'
import { driverContract } from './driver.ts'

/** The newest is in `driver.test.ts`. */
for (const release of RELEASES.slice(0, -1)) {
  t.test(`xt ${release}`, async (t) => driverContract(t, () => openXtRig(t.testdir(), release)))
}
