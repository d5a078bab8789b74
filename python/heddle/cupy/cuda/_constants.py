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
