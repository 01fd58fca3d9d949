import {
  ElButton,
  ElConfigProvider,
  ElDialog,
  ElDrawer,
  ElInput,
  ElProgress,
  ElSwitch,
} from 'element-plus'
import type { App } from 'vue'
import 'element-plus/theme-chalk/base.css'
import 'element-plus/theme-chalk/dark/css-vars.css'
import 'element-plus/theme-chalk/el-button.css'
import 'element-plus/theme-chalk/el-overlay.css'
import 'element-plus/theme-chalk/el-dialog.css'
import 'element-plus/theme-chalk/el-drawer.css'
import 'element-plus/theme-chalk/el-input.css'
import 'element-plus/theme-chalk/el-progress.css'
import 'element-plus/theme-chalk/el-switch.css'

const USED = [ElButton, ElConfigProvider, ElDialog, ElDrawer, ElInput, ElProgress, ElSwitch]

/** The components of Element Plus that the pages use, and no others: each costs bytes of the first load. */
export function installElements(app: App): void {
  for (const component of USED) app.use(component)
}
