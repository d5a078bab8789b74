# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of the CUDA runtime, as its documentation has them."""
# copies and kinds of memory
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)
memcpyDefault = 4
memoryTypeUnregistered, memoryTypeHost, memoryTypeDevice, memoryTypeManaged = range(4)
# flags
hostAllocDefault, hostAllocPortable, hostAllocMapped, hostAllocWriteCombined = 0, 1, 2, 4
hostRegisterDefault, hostRegisterPortable, hostRegisterMapped, hostRegisterIoMemory = 0, 1, 2, 4
memAttachGlobal, memAttachHost, memAttachSingle = 1, 2, 4
streamDefault, streamNonBlocking = 0, 1
streamLegacy, streamPerThread = 1, 2
streamCaptureModeGlobal, streamCaptureModeThreadLocal, streamCaptureModeRelaxed = range(3)
streamCaptureStatusNone, streamCaptureStatusActive, streamCaptureStatusInvalidated = range(3)
eventDefault, eventBlockingSync, eventDisableTiming, eventInterprocess = 0, 1, 2, 4
# advice on managed memory
cudaMemAdviseSetReadMostly, cudaMemAdviseUnsetReadMostly = 1, 2
cudaMemAdviseSetPreferredLocation, cudaMemAdviseUnsetPreferredLocation = 3, 4
cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy = 5, 6
# errors
errorInvalidValue, errorMemoryAllocation, errorInvalidResourceHandle = 1, 2, 400
errorNotReady, errorPeerAccessAlreadyEnabled, errorContextIsDestroyed = 600, 704, 709
# attributes of devices
deviceAttributeMaxThreadsPerBlock = 1
deviceAttributeMaxSharedMemoryPerBlock = 8
deviceAttributeTotalConstantMemory = 9
deviceAttributeWarpSize = 10
deviceAttributeMaxRegistersPerBlock = 12
deviceAttributeClockRate = 13
deviceAttributeMultiProcessorCount = 16
deviceAttributeConcurrentKernels = 31
deviceAttributeMemoryClockRate = 36
deviceAttributeGlobalMemoryBusWidth = 37
deviceAttributeL2CacheSize = 38
deviceAttributeMaxThreadsPerMultiProcessor = 39
deviceAttributeAsyncEngineCount = 40
deviceAttributeUnifiedAddressing = 41
deviceAttributeComputeCapabilityMajor = 75
deviceAttributeComputeCapabilityMinor = 76
deviceAttributeMaxSharedMemoryPerMultiprocessor = 81
deviceAttributeManagedMemory = 83
deviceAttributeConcurrentManagedAccess = 89
deviceAttributeMaxSharedMemoryPerBlockOptin = 97
# the same by the names of CUDA's headers
cudaMemoryTypeHost, cudaMemoryTypeDevice = 1, 2
cudaMemAttachGlobal, cudaMemAttachHost, cudaMemAttachSingle = 1, 2, 4
cudaCpuDeviceId, cudaInvalidDeviceId = -1, -2
# flags of graphDebugDotPrint(), of which Heddle knows none but that there are any
cudaGraphDebugDotFlagsVerbose = 1
cudaGraphDebugDotFlagsKernelNodeParams, cudaGraphDebugDotFlagsMemcpyNodeParams = 4, 8
cudaGraphDebugDotFlagsMemsetNodeParams, cudaGraphDebugDotFlagsHostNodeParams = 16, 32
cudaGraphDebugDotFlagsEventNodeParams, cudaGraphDebugDotFlagsHandles = 64, 1024
# attributes of devices, from the numbers before them on
_ATTRIBUTES = {
    1: """MaxThreadsPerBlock MaxBlockDimX MaxBlockDimY MaxBlockDimZ MaxGridDimX MaxGridDimY
          MaxGridDimZ MaxSharedMemoryPerBlock TotalConstantMemory WarpSize MaxPitch
          MaxRegistersPerBlock ClockRate TextureAlignment GpuOverlap MultiProcessorCount
          KernelExecTimeout Integrated CanMapHostMemory ComputeMode""",
    31: """ConcurrentKernels EccEnabled PciBusId PciDeviceId TccDriver MemoryClockRate
           GlobalMemoryBusWidth L2CacheSize MaxThreadsPerMultiProcessor AsyncEngineCount
           UnifiedAddressing""",
    50: "PciDomainId",
    78: """StreamPrioritiesSupported GlobalL1CacheSupported LocalL1CacheSupported
           MaxSharedMemoryPerMultiprocessor MaxRegistersPerMultiprocessor ManagedMemory
           IsMultiGpuBoard MultiGpuBoardGroupID HostNativeAtomicSupported
           SingleToDoublePrecisionPerfRatio PageableMemoryAccess ConcurrentManagedAccess
           ComputePreemptionSupported CanUseHostPointerForRegisteredMem""",
    95: """CooperativeLaunch CooperativeMultiDeviceLaunch MaxSharedMemoryPerBlockOptin
           CanFlushRemoteWrites HostRegisterSupported PageableMemoryAccessUsesHostPageTables
           DirectManagedMemAccessFromHost""",
    106: "MaxBlocksPerMultiprocessor", 111: "ReservedSharedMemoryPerBlock",
    115: "MemoryPoolsSupported"}
globals().update({f"cudaDevAttr{_name}": _number for _first, _names in _ATTRIBUTES.items()
                  for _number, _name in enumerate(_names.split(), _first)})
