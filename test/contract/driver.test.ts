import t from 'tap'
import type { DriverName } from '../../src/config/drivers.ts'
import { openBigqmtRig } from '../drivers/bigqmt/rig.ts'
import { openPaperRig } from '../drivers/fixtures/paper-rig.ts'
import { openGatewayRig } from '../drivers/gateway/rig.ts'
import { openXtRig } from '../drivers/xt/rig.ts'
import { type DriverRig, driverContract } from './driver.ts'

/** Every driver that is registered, a line each: without one the types do not hold. */
const RIGS: Readonly<Record<DriverName, (folder: string) => Promise<DriverRig>>> = {
  gateway: openGatewayRig,
  paper: openPaperRig,
  xt: (folder) => openXtRig(folder),
  bigqmt: (folder) => openBigqmtRig(folder),
}

/** And in other modes of theirs; the rest of them in `driver-modes.test.ts`. */
const ALL = {
  ...RIGS,
  'paper without pushes': (folder: string) => openPaperRig(folder, 'none'),
}

for (const [name, open] of Object.entries(ALL)) {
  t.test(name, async (t) => driverContract(t, () => open(t.testdir())))
}
