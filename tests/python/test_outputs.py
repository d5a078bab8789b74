# SPDX-License-Identifier: BSD-3-Clause
"""What functions write to: out= of every kind, destinations that are changed in place, and arguments that differed from NumPy's."""

import array
import re
import warnings

import numpy as np
import pytest

from common import IS_NUMPY, NUMPY, needs_heddle, shares_memory, xp
from test_odd_inputs import different

OUTPUTS = r"""
m.mean(m.arange(4.), out=m.zeros((2,4)))
m.mean(m.arange(4.), out=m.zeros(1))
m.std(m.arange(8.).reshape(2,4), axis=1, out=m.zeros((1,2)))
m.mean(m.arange(8.).reshape(2,4), axis=1, keepdims=True, out=m.zeros((2,)))
o=m.zeros((2,)); m.mean(m.arange(8.).reshape(2,4), axis=1, out=o); r=o
m.mean(m.arange(4.), out=m.zeros((), int))
m.var(m.arange(4.), out=m.zeros((), int))
m.std(m.arange(4.), out=m.zeros((), int))
m.mean(m.arange(4)*1j, out=m.zeros(()))
m.nanmean(m.arange(4.), out=m.zeros((), int))
m.nanvar(m.arange(4.), out=m.zeros((), int))
m.ptp(m.arange(4.), out=m.zeros((), int))
m.ptp(m.arange(8.).reshape(2,4), axis=0, out=m.zeros((2,4)))
m.round(m.arange(4.), out=m.zeros((2,4)))
m.round(m.arange(4.), 2, out=m.zeros((2,4)))
m.round(m.arange(4.), 2, out=m.zeros(4, int))
m.round(m.arange(4.), 0, out=m.zeros(4, int))
m.round(m.arange(4)+.57, 1, out=m.zeros(4, 'f4'))
m.round(m.arange(4), 0, out=m.zeros(4))
m.round(m.arange(4), 0, out=m.zeros(4,'i1'))
m.round(m.arange(4), -1, out=m.zeros(4))
m.round(m.arange(4), -1, out=m.zeros(4,'i1'))
m.round(m.arange(4)*1j, 1, out=m.zeros(4))
m.round(m.arange(4), 0, out=m.zeros((2,4)))
m.compress([1,1,1,1], m.arange(4.), out=m.zeros((2,4)))
m.compress([1,1,1,1], m.arange(4.), out=m.zeros(4,int))
m.compress([1,0,1,1], m.arange(4.), out=m.zeros(3))
m.choose([1,0,1,0],[5,6],out=m.zeros((2,4),int))
m.choose([1,0,1,0],[5,6],out=m.zeros(4,float))
m.choose([1,0,1,0],[5,6],out=m.zeros(4,'i1'))
m.choose([1,0,1,0],[5.,6],out=m.zeros(4,int))
m.choose(m.asarray([1,0,1,0]),[5.,6],out=m.zeros(4,'f4'))
m.choose(m.asarray([1,0,1,0]),[5,6],out=m.zeros(4,'f4'))
m.choose(m.asarray([1,0,1,0]),[5,6],out=m.zeros(4,'i8'))
m.take(m.asarray([7.,8.]),[0],out=m.zeros((2,3)))
m.take(m.asarray([7.,8.]),[0],out=m.zeros(1,int))
m.take(m.asarray([7.,8.]),[0],out=m.zeros(1,'f4'))
m.take(m.asarray([7,8]),[0],out=m.zeros(1,'i4'))
m.take(m.asarray([7,8]),[0],out=m.zeros(1,'i4'),mode='clip')
m.take(m.asarray([7,8]),0,out=m.zeros((),'i8'),mode='clip')
m.einsum("i->i", m.arange(4.), out=m.zeros((2,4)))
m.einsum("i,i->i", m.asarray([200,3],'u1'), m.asarray([200,3],'u1'), out=m.zeros(2,'i4'))
m.einsum("i,i->i", m.asarray([200,3],'u1'), m.asarray([200,3],'u1'), out=m.zeros(2,'f4'))
m.einsum("i,i->", m.asarray([200,3],'u1'), m.asarray([200,3],'u1'), out=m.zeros((),'i4'))
m.einsum("i,i->i", m.asarray([200,3.5]), m.asarray([2,3]), out=m.zeros(2,'i4'))
m.einsum("i,i->i", m.asarray([200,3.5]), m.asarray([2,3]), out=m.zeros(2,'f4'))
m.einsum("i,i->i", m.asarray([200,3.5]), m.asarray([2,3]), out=m.zeros(2,'f4'), casting='same_kind')
m.einsum("i,i->i", m.asarray([200,3]), m.asarray([2,3]), out=m.zeros(2,'i4'))
m.einsum("i,i->i", m.asarray([200,3]), m.asarray([2,3]), out=m.zeros(2,'i4'), dtype='i8')
m.einsum("i,i->i", m.asarray([200,3]), m.asarray([2,3]), out=m.zeros(2,'i4'), casting='unsafe')
m.einsum("i,i->i", m.asarray([200,3],'u1'), m.asarray([200,3],'u1'), out=m.zeros(2,'i4'), dtype='u1')
m.einsum("i,i->i", m.asarray([200,3],'u1'), m.asarray([200,3],'u1'), out=m.zeros(2,'i4'), optimize=True)
m.einsum("ij,jk->ik", m.full((2,3),100,'u1'), m.full((3,2),100,'u1'), out=m.zeros((2,2),'i4'))
m.einsum("ij,jk->ik", m.full((2,3),100,'u1'), m.full((3,2),100,'u1'), out=m.zeros((2,2),'i4'),optimize=True)
m.trace(m.eye(3), out=m.zeros(2))
m.cumsum(m.arange(3), out=m.zeros(4,int))
m.dot(m.eye(2),m.eye(2),out=m.zeros((2,3)))
m.matmul(m.eye(2),m.eye(2),out=m.zeros((2,3)))
m.argmax(m.arange(3),out=m.zeros(2,int))
m.clip(m.arange(3),0,1,out=m.zeros((2,3),int))
m.median(m.arange(4.),out=m.zeros(2))
m.quantile(m.arange(4.),[.5,.2],out=m.zeros(1))
m.nansum(m.arange(4.),out=m.zeros(2))
m.nanmax(m.arange(4.),out=m.zeros(2))
m.nanargmax(m.arange(4.),out=m.zeros(2,int))
m.nancumsum(m.arange(4.),out=m.zeros(2))
m.outer(m.arange(2),m.arange(3),out=m.zeros((2,2,3),int))
m.outer(m.arange(2),m.arange(3),out=m.zeros((3,2),int))
m.fix(m.arange(3.),out=m.zeros((2,3)))
m.isposinf(m.arange(3.),out=m.zeros((2,3),bool))
m.stack([m.arange(3.)],out=m.zeros((2,3)))
m.concatenate([m.arange(3.)],out=m.zeros((2,3)))
m.cumulative_sum(m.arange(3.),out=m.zeros((2,3)))
m.cumulative_sum(m.arange(3.),out=m.zeros(3), include_initial=True)
m.fft.fft(m.arange(3.),out=m.zeros((2,3),complex))
m.linalg.norm(m.eye(2))
m.linalg.multi_dot([m.eye(2),m.eye(2),m.eye(2)],out=m.zeros((2,3)))
m.linalg.multi_dot([m.eye(2),m.eye(2),m.eye(2)],out=m.zeros((2,2),'f4'))
m.sum(m.arange(3),out=(m.zeros((),int),))
m.mean(m.arange(3),out=(m.zeros(()),))
m.round(m.arange(3.),out=(m.zeros(3),))
m.take(m.arange(3.),[0],out=(m.zeros(1),))
m.var(m.arange(5), dtype=int)
m.var(m.arange(5), dtype='f4')
m.var(m.arange(5.), dtype=int)
m.std(m.arange(5), dtype=int)
m.var(m.arange(5), dtype='i1')
m.var(m.asarray([True,False]))
m.var(m.asarray([True,False]),dtype=bool)
m.std(m.asarray([True,False]),dtype=bool)
m.mean(m.asarray([True,False]),dtype=bool)
m.mean(m.arange(5),dtype=int)
m.var(m.arange(5), dtype=complex)
m.var(m.arange(5)*1j, dtype='c8')
m.var(m.arange(5)*1j, dtype=float)
m.var(m.arange(5,dtype='f2'))
m.var(m.arange(5,dtype='f2'),dtype='f4')
m.var(m.arange(5,dtype='f4'),dtype='f2')
m.std(m.arange(5,dtype='f4'),dtype='f2')
m.std(m.arange(4.), mean=1.5)
m.std(m.arange(4.).reshape(2,2), axis=1, mean=m.asarray([[.5],[2.5]]))
m.var(m.arange(4.).reshape(2,2), axis=1, mean=m.asarray([[.5],[2.5]]))
m.var(m.arange(4.).reshape(2,2), axis=1, mean=m.asarray([.5,2.5]))
m.var(m.arange(4), mean=m.asarray(1))
m.var(m.arange(4.), mean=1j)
m.arange(4.).var(mean=1.5)
m.var(m.arange(4.), mean=1.5, ddof=1)
m.std(m.arange(4.), mean=1.5, where=m.asarray([True,False,True,True]))
m.sum(m.arange(3.),out=...)
m.mean(m.arange(3.),out=...)
m.add.reduce(m.arange(3.),out=...)
m.add.accumulate(m.arange(3.),out=...)
m.add.reduceat(m.arange(3.),[0],out=...)
m.matmul(m.arange(3.),m.arange(3.),out=...)
m.divmod(5,2,out=...)
m.divmod(5,2,out=(...,...))
m.divmod(5,2,out=(...,None))
m.add(1,1,out=(...,))
m.add(1,1,out=...)
m.add(m.arange(2),1,out=...,where=m.asarray(True))
m.cumsum(m.arange(3.),out=...)
m.argmax(m.arange(3.),out=...)
m.max(m.arange(3.),out=...)
m.var(m.arange(3.),out=...)
m.std(m.arange(3.),out=...)
m.any(m.arange(3.),out=...)
m.prod(m.arange(3.),out=...)
m.arange(3.).sum(out=...)
m.concatenate([m.arange(3.)],out=...)
m.stack([m.arange(3.)],out=...)
m.dot(m.arange(3.),m.arange(3.),out=...)
m.clip(1,0,2,out=...)
m.round(1.5,out=...)
m.round(m.arange(3.),1,out=...)
m.take(m.arange(3.),0,out=...)
m.vecdot(m.arange(3.),m.arange(3.),out=...)
m.fix(1.5,out=...)
m.median(m.arange(3.),out=...)
m.einsum('i->',m.arange(3.),out=...)
m.nanmax(m.arange(3.),out=...)
m.nansum(m.arange(3.),out=...)
m.trace(m.eye(2),out=...)
m.cumulative_sum(m.arange(3.),out=...)
m.compress([1],m.arange(3.),out=...)
m.choose([0],[1,2],out=...)
m.sin(1.,out=...)
m.add.outer(1,2,out=...)
m.frexp(3.,out=...)
m.linalg.multi_dot([m.eye(2),m.eye(2)],out=...)
"""

PLACES = r"""
m.nan_to_num([1.,m.nan], copy=False)
m.nan_to_num(m.nan, copy=False)
m.nan_to_num(np.float64(m.nan), copy=False)
m.nan_to_num(np.array([1,2]), copy=False)
m.nan_to_num(5, copy=False)
m.nan_to_num(m.arange(3), copy=False)
a=m.asarray([1.,m.nan]); a.flags.writeable=False; r=m.nan_to_num(a, copy=False)
m.put([1,2],[0],5)
m.putmask([1,2],[0],5)
m.place([1,2],[0,1],5)
m.copyto([1,2],[0])
m.add.at([1,2],[0],5)
m.put(m.arange(3),[True,False],1)
x=m.arange(3); m.put(x,[True,False],7); r=x
m.put(m.arange(3),[0.,1.],1)
m.put(m.arange(3),[1j],1)
m.put(m.arange(3),[],[])
m.put(m.arange(3),["a"],[1])
m.put(m.arange(3),[0],[])
m.put(m.arange(0),[0],[1])
m.put(m.arange(3),[3],[1])
m.put(m.arange(3),[-4],[1])
x=m.arange(6).reshape(2,3).T; m.put(x,[True,False,5],[7,8]); r=x
x=m.arange(6).reshape(2,3).T; m.put(x,[7],[7,8]); r=x
x=m.arange(6).reshape(2,3).T; m.put(x,[-7],[7,8]); r=x
x=m.arange(6).reshape(2,3).T; m.put(x,[7,-1],[7,8],mode='wrap'); r=x
x=m.arange(6).reshape(2,3).T; m.put(x,[7,-1],[7,8],mode='clip'); r=x
m.take(m.arange(3),[True,False])
m.take(m.arange(3),m.asarray([True,False]))
m.take(m.arange(3),True)
m.take(m.arange(3),[True,False],mode='clip')
m.take(m.arange(3),[True,False],mode='wrap')
m.take(m.arange(3),[0.,1.])
m.take(m.arange(3),[0.,1.],mode='wrap')
m.take(m.arange(3),1.)
m.take(m.arange(3),m.asarray([1,2],'u8'))
m.take(m.arange(3),None)
m.take(m.arange(3),[])
m.take(m.arange(3),m.zeros(0))
m.take(m.arange(3),slice(1))
m.take(m.arange(3),[[0,1],[2,2]])
m.take(m.arange(6).reshape(2,3),[[0,1],[1,1]],axis=0)
m.take(m.arange(6).reshape(2,3),True,axis=1)
m.take(m.arange(6).reshape(2,3),[True,False,True],axis=1)
m.take(m.arange(6).reshape(2,3),1,axis=True)
m.take(m.arange(3),(0,1))
m.take(m.arange(3),((0,1),(1,2)))
m.take(5,0)
m.take(5,[0,0])
m.arange(3).take([True,False])
m.arange(3).take(np.array([True,False]))
m.arange(3).take(range(2))
m.arange(3).repeat([True,False,True])
m.arange(3).repeat([1.,2.,3.])
m.repeat(m.arange(3),2.)
m.repeat(m.arange(3),True)
m.compress([1,1,1,1],m.arange(3))
m.choose(True,[1,2])
m.choose([True,False],[1,2])
m.choose([0.,1.],[1,2])
m.clip(m.arange(4), a_min=1, a_max=2)
m.clip(m.arange(4), a_min=None, a_max=2)
m.clip(m.arange(4), min=1, max=2)
m.clip(m.arange(4), min=1)
m.clip(m.arange(4), max=1)
m.clip(m.arange(4), 1, 2, max=1)
m.clip(m.arange(4))
m.arange(4).clip(1)
m.arange(4).clip(max=1)
m.arange(4).clip(1,2)
m.arange(4).clip(a_min=1)
m.arange(4).clip()
m.clip(a=m.arange(4), a_min=1, a_max=2)
type(m.meshgrid(m.arange(2)))
type(m.meshgrid(m.arange(2),copy=False))
type(m.meshgrid(m.arange(2),sparse=True))
type(m.meshgrid(m.arange(2),sparse=True,copy=False))
type(m.broadcast_arrays(m.arange(2),1))
m.meshgrid()
m.meshgrid(1,2)
m.meshgrid(m.arange(2),m.arange(3),indexing='ij')
m.broadcast_arrays()
x=m.arange(3); m.put(x,m.asarray([0.,1.]),7); r=x
x=m.arange(3); m.put(x,m.asarray([True,False]),7); r=x
x=m.arange(3); m.put(x,[0],[1.5]); r=x
x=m.arange(3); m.put(x,[0],m.asarray([1.5])); r=x
m.take(m.arange(3),m.asarray([0.,1.]))
m.take(m.arange(3),m.asarray(1.))
m.take(m.arange(3),np.float64(1.))
m.take(m.arange(3),m.zeros((0,2),int))
m.take(m.arange(3),1,out=m.zeros((),int))
m.take(m.arange(3),3)
m.take(m.arange(3),-4)
m.take(m.arange(3),[3])
m.take(m.arange(3),"a")
m.take(m.arange(3),1j)
m.take(m.arange(3),np.int8(1))
m.take(m.arange(3),m.asarray(1))
m.take(m.zeros(0),[0],mode='clip')
m.take(m.zeros(0),[],mode='clip')
m.take(m.zeros(0),[0],mode='wrap')
m.take(m.zeros(0),[0])
m.take(m.zeros((2,0)),[0],axis=1)
m.take(m.zeros((2,0)),[0],axis=0)
m.take(m.arange(3),[5,-7],mode='clip')
m.take(m.arange(3),[5,-7],mode='wrap')
m.take(m.arange(3),7,mode='wrap')
m.take(m.arange(3),7,mode='foo')
m.take(m.arange(3),[1],mode='RAISE')
x=m.arange(3); m.take(x,[2,1,0],out=x); r=x
x=m.arange(3); m.take(x,[2,1,0],out=x,mode='clip'); r=x
"""

AXES = r"""
m.sum(m.eye(2),axis=True)
m.sum(m.eye(2),axis=(True,))
m.mean(m.eye(2),axis=True)
m.max(m.eye(2),axis=False)
m.argmax(m.eye(2),axis=True)
m.cumsum(m.eye(2),axis=True)
m.sort(m.eye(2),axis=True)
m.argsort(m.eye(2),axis=True)
m.partition(m.eye(2),0,axis=True)
m.take(m.eye(2),0,axis=True)
m.repeat(m.eye(2),2,axis=True)
m.concatenate([m.eye(2)],axis=True)
m.stack([m.eye(2)],axis=True)
m.flip(m.eye(2),axis=True)
m.roll(m.eye(2),1,axis=True)
m.moveaxis(m.eye(2),True,0)
m.swapaxes(m.eye(2),True,0)
m.rollaxis(m.eye(2),True,0)
m.expand_dims(m.eye(2),True)
m.squeeze(m.ones((2,1)),True)
m.squeeze(m.ones((2,1)),(True,))
m.transpose(m.eye(2),(True,False))
m.diagonal(m.eye(2),0,False,True)
m.trace(m.eye(2),0,False,True)
m.diff(m.eye(2),axis=True)
m.median(m.eye(2),axis=True)
m.quantile(m.eye(2),.5,axis=True)
m.percentile(m.eye(2),50,axis=True)
m.average(m.eye(2),axis=True)
m.ptp(m.eye(2),axis=True)
m.nansum(m.eye(2),axis=True)
m.nanmean(m.eye(2),axis=True)
m.nanargmax(m.eye(2),axis=True)
m.nanmedian(m.eye(2),axis=True)
m.count_nonzero(m.eye(2),axis=True)
m.all(m.eye(2),axis=True)
m.any(m.eye(2),axis=True)
m.unique(m.eye(2),axis=True)
m.delete(m.eye(2),0,axis=True)
m.insert(m.eye(2),0,1,axis=True)
m.append(m.eye(2),m.eye(2),axis=True)
m.split(m.eye(2),2,axis=True)
m.array_split(m.eye(2),2,axis=True)
m.take_along_axis(m.eye(2),m.zeros((2,2),int),axis=True)
m.apply_along_axis(sum,True,m.eye(2))
m.fft.fft(m.eye(2),axis=True)
m.linalg.norm(m.eye(2),axis=True)
m.gradient(m.eye(2),axis=True)
m.cross(m.ones((3,3)),m.ones((3,3)),axis=True)
m.tensordot(m.eye(2),m.eye(2),axes=True)
m.lexsort(m.eye(2),axis=True)
m.packbits(m.eye(2,dtype='u1'),axis=True)
m.compress([1,0],m.eye(2),axis=True)
m.add.reduce(m.eye(2),axis=True)
m.add.accumulate(m.eye(2),axis=True)
m.add.reduceat(m.eye(2),[0],axis=True)
m.linspace([0,1],[1,2],3,axis=True)
m.size(m.eye(2),True)
m.eye(2).sum(True)
m.eye(2).cumsum(True)
m.eye(2).sort(True)
m.eye(2).argsort(True)
m.eye(2).take([0],True)
m.eye(2).squeeze(True)
m.eye(2).swapaxes(True,False)
m.eye(2).transpose(True,False)
m.eye(2).reshape(True,4)
m.zeros(True)
m.zeros((True,2))
m.eye(2)[True]
m.eye(2).repeat(2,True)
m.eye(2).trace(0,True,False)
m.arange(True)
m.add.reduceat(m.arange(4.), m.asarray([0., 2.]))
m.add.reduceat(m.arange(4.), [0., 2.])
m.add.reduceat(m.arange(4.), [True,False])
m.add.reduceat(m.arange(4.), m.asarray([True,False]))
m.add.reduceat(m.arange(4.), m.asarray([0,2],'u8'))
m.add.reduceat(m.arange(4.), 0)
m.add.reduceat(m.arange(4.), [])
m.add.reduceat(m.arange(4.), m.zeros(0))
"""

DIFFERENCES = r"""
m.argsort(5.)
m.argsort(5.,axis=1)
m.argpartition(3.,0)
m.argpartition(3.,0,axis=1)
m.argpartition(3.,1)
m.partition(3.,0)
m.sort(3.)
m.asarray(3.).argsort()
m.asarray(3.).argpartition(0)
m.argsort(m.asarray([3.,1.]),axis=None)
m.arange(1j)
m.arange(3+1j)
m.arange(0,3,1j)
m.arange(0,2+2j,1+1j)
m.arange(0,3+3j,1+1j)
m.arange(0j,3)
m.arange(0,4+5j,dtype=complex)
m.arange(3+4j)
m.tri(2.5)
m.tri(3,2.5)
m.tri(-1)
m.tri(3,-2)
m.tri("a")
m.tri(np.float64(3))
m.tri(3,4,1,dtype=int)
m.average(m.eye(3),m.asarray([0]))
m.average(m.eye(3),m.asarray(0))
m.average(m.eye(3),range(1))
m.average(m.eye(3),0.)
m.average(m.eye(3),[0,1])
m.median(m.eye(3),axis=m.asarray([0]))
m.median(m.eye(3),axis=range(2))
m.quantile(m.eye(3),.5,axis=m.asarray([0,1]))
m.polydiv(m.arange(4.).reshape(2,2), m.arange(2.)+1)
m.ones((2,2)).T.reshape(None)
m.ones(3).reshape(None)
m.reshape(m.ones(3),None)
m.ones(3).reshape()
m.asarray(5.).squeeze(0)
m.asarray(5.).squeeze(-1)
m.asarray(5.).squeeze(1)
m.asarray(5.).squeeze((0,))
m.asarray(5.).squeeze((0,-1))
m.squeeze(5.,0)
m.asarray([True]).round(1)
m.asarray([True]).round(0)
m.asarray([True]).round(-1)
m.round(True,1)
m.round(m.arange(3.),400)
m.round(m.arange(3.),-400)
m.round(m.arange(3),-400)
m.arange(3).round(2**40)
m.arange(3.).round(2**31)
m.round(m.arange(3.)+.45,308)
m.round(1.25,1)
m.round(125,-1)
m.round(np.float64(2.345),2)
m.round(2.5+3.5j)
m.round(m.asarray([2.55+3.45j]),1)
m.vdot(-0.0,False)
m.signbit(m.vdot(-0.0,False))
m.signbit(m.dot(m.asarray([-0.0]),m.asarray([1.])))
m.signbit(m.dot(-0.0,1.))
m.signbit(m.inner(m.asarray([-0.0]),m.asarray([1.])))
m.signbit(m.asarray([[-0.0]]).sum(axis=1))
m.signbit(m.matmul(m.asarray([-0.0]),m.asarray([1.])))
m.signbit(m.matmul(m.asarray([[-0.0]]),m.asarray([[1.]])))
m.signbit(m.einsum('i,i->',m.asarray([-0.0]),m.asarray([1.])))
m.signbit(m.trace(m.asarray([[-0.0]])))
m.broadcast_to(m.asarray([1,2]),(2,2)).ravel('K')
m.broadcast_to(m.asarray([1,2]),(2,2)).flatten('K')
m.broadcast_to(m.asarray([[1],[2]]),(2,2)).ravel('K')
m.broadcast_to(m.asarray([[1],[2]]),(2,2)).flatten('K')
m.broadcast_to(m.arange(6).reshape(2,1,3).T,(3,4,2)).ravel('K')
m.broadcast_to(m.arange(6).reshape(2,1,3),(2,4,3)).ravel('K')
m.broadcast_to(m.arange(6).reshape(2,1,3).transpose(2,1,0),(3,4,2)).flatten('K')
m.arange(6).reshape(2,3).T.ravel('K')
m.arange(24).reshape(2,3,4).transpose(1,2,0).ravel('K')
m.arange(24).reshape(2,3,4).transpose(1,2,0)[::2,:,::-1].ravel('K')
m.arange(24).reshape(2,3,4)[:,::-1,::2].ravel('K')
m.arange(24).reshape(2,3,4)[::-1].flatten('K')
m.arange(6).reshape(2,3,1).transpose(2,1,0).ravel('K')
m.arange(6,dtype='u1').reshape(2,3).T.tobytes('K')
m.arange(6,dtype='u1').reshape(2,3).T.tobytes('A')
m.arange(6,dtype='u1').reshape(2,3).T.tobytes('F')
m.arange(6,dtype='u1').reshape(2,3).tobytes('K')
m.arange(6,dtype='u1').reshape(2,3)[:,::2].tobytes('K')
o=m.zeros(2,bool); m.equal(m.asarray([1,255],dtype='u1'),-1,out=o); r=o
m.less(m.asarray([1,255],dtype='u1'),300,out=m.zeros(2,'i4'))
m.less(m.asarray([1,255],dtype='u1'),300,out=m.zeros((2,2),bool))
m.less(m.asarray([1,255],dtype='u1'),300,out=m.zeros((3,),bool))
m.less(m.asarray([1,255],dtype='u1'),300,dtype=bool)
m.less(300,m.asarray([1,255],dtype='u1'),dtype=bool,out=m.zeros(2,bool))
m.less(m.asarray([1,255],dtype='u1'),300,dtype='i4')
m.less(m.asarray([-1,2**53+1]),m.asarray([2,2**53],dtype='u8'),out=m.zeros(2,bool))
m.equal(m.asarray([-1,2**53+1]),m.asarray([2**64-1,2**53],dtype='u8'),out=m.ones(2,bool),where=m.asarray([True,True]))
m.logical_and(m.asarray([1,0],dtype='u1'),300,out=m.zeros(2,bool))
m.logical_or(m.asarray([1,0],dtype='u1'),300,where=m.asarray([True,True]),out=m.zeros(2,bool))
m.logical_or(m.asarray([1,0],dtype='u1'),2**70,out=m.zeros(2,bool))
m.clip(m.asarray([1,0],dtype='u1'),-5,300,out=m.zeros(2,'u1'))
m.clip(m.asarray([1,0],dtype='u1'),-5,300,out=m.zeros(2,'i4'))
m.clip(m.asarray([1,0],dtype='u1'),300,400,out=m.zeros(2,'i4'))
m.add(m.asarray([1,0],dtype='u1'),300,out=m.zeros(2,'i4'))
x=m.arange(6.); m.divmod(x,3.,out=(x,x)); r=x
x=m.arange(6.); m.divmod(x,3.,out=(x[:3],x[3:])) if 0 else m.divmod(x[:3],2.,x[3:],x[:3]); r=x
x=m.arange(6.)+.25; m.modf(x,out=(x,x)); r=x
x=m.arange(6.)+.25; m.divmod(x[:5],2.,out=(x[:5],x[1:])); r=x
x=m.arange(6.); y=m.zeros(6); m.divmod(x,3.,out=(y,x)); r=(x,y)
m.sqrt(range(4))
m.arange(4)+range(4)
range(4)*m.arange(4)
m.arange(4)@range(4)
__import__("collections").deque([1,2])+m.arange(2)
m.maximum(__import__("collections").deque([1,2]),1)
m.arange(4)<range(4)
m.arange(4)==range(4)
m.multiply(range(3),2)
m.arange(4)+{1,2}
m.arange(4)+{1:2}
m.arange(4)==object()
m.arange(4)+object()
m.arange(4)+range(3)
m.arange(4)==range(3)
m.arange(4)+__import__("array").array("d",[1,2,3,4])
divmod(m.arange(4),range(1,5))
x=m.arange(4); x+=range(4); r=x
bytearray(b"abcd") in m.arange(3.)
m.arange(3.)==bytearray(b"abcd")
m.arange(3.).__dlpack__(dl_device=5)
m.arange(3.).__dlpack__(max_version=1)
m.arange(3.).__dlpack__(max_version=(1,))
"a" in m.arange(3.)
None in m.arange(3.)
[1,2,3] in m.arange(3)
[1,2] in m.arange(3)
m.arange(4).resize((2,3), refcheck=False)
x=m.arange(4); x.resize((2,3), refcheck=False); r=x
x=m.arange(4); x.resize(2,3, refcheck=False); r=x
x=m.arange(4); x.resize(2, refcheck=False); r=x
x=m.arange(4); x.resize((), refcheck=False); r=x
x=m.arange(6).reshape(2,3); r=x[0].resize(2)
x=m.asarray([[1,2],[3,4]],order='F'); x.resize((3,2),refcheck=False); r=x
x=m.arange(4); x.resize(); r=x
x=m.arange(4); x.resize(None); r=x
x=m.arange(4); x.resize(-1,refcheck=False); r=x
x=m.arange(4); x.flags.writeable=False; x.resize(2,refcheck=False); r=x
isinstance(m.matmul,m.ufunc)
m.matmul.reduce(m.eye(2))
m.matmul.nin
m.matmul.signature
m.matmul.outer(m.eye(2),m.eye(2))
m.matmul.accumulate(m.eye(2))
m.matmul.at(m.eye(2),0,1)
m.matmul.identity
m.matmul.__name__
repr(m.matmul)
"""


LISTS = [text.strip().split("\n") for text in (OUTPUTS, PLACES, AXES, DIFFERENCES)]
# lines about memory that NumPy shares
OF_MEMORY = re.compile(r"nan_to_num\(np\.|__dlpack__")


@pytest.mark.parametrize("lines", LISTS, ids=["out", "places", "axes", "rest"])
def test_outputs__as_numpy(lines):
    assert different(line for line in lines if not OF_MEMORY.search(line)) == []


@shares_memory
def test_outputs__of_shared_memory():
    lines = [line for line in sum(LISTS, []) if OF_MEMORY.search(line)]
    assert len(lines) > 3 and different(lines) == []


def test_take__casts_into_out():
    for out in ("f8", "f4", "c16", "i4") if NUMPY >= "2.5.0.dev0" or not IS_NUMPY else ("i4",):
        assert xp.take(xp.asarray([7, 8]), [1], out=xp.zeros(1, out)).tolist() == [8]


# ---- in place ------------------------------------------------------------------------------------

IN_PLACE = {
    "nan_to_num": lambda x: xp.nan_to_num(x, copy=False),
    "put": lambda x: xp.put(x, [0], 5),
    "putmask": lambda x: xp.putmask(x, [True] * 4, 5),
    "place": lambda x: xp.place(x, [True] * 4, [5]),
    "put_along_axis": lambda x: xp.put_along_axis(x, np.asarray([0]), 5, 0),
    "shuffle": lambda x: xp.random.default_rng(2).shuffle(x),
    "as_strided": lambda x: xp.lib.stride_tricks.as_strided(x, (4,), (8,)).__setitem__(0, 9),
    "sliding_window_view": lambda x: xp.lib.stride_tricks.sliding_window_view(x, 2, writeable=True).__setitem__((0, 0), 9),
}


@shares_memory
@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place__of_a_numpy_array(name):
    x = np.array([3.0, np.nan, 1.0, 2.0])
    before = x.copy()
    IN_PLACE[name](x)
    assert not np.array_equal(x, before, equal_nan=True)


@shares_memory
def test_fill_diagonal__of_a_numpy_array():
    x = np.zeros((3, 3))
    xp.fill_diagonal(x, 5)
    assert x.trace() == 15


OUT = {
    "copyto": lambda x: xp.copyto(x, 5),
    "add.at": lambda x: xp.add.at(x, [0], 5),
    "add": lambda x: xp.add(1, 1, out=x),
    "sum": lambda x: xp.sum(xp.ones((2, 4)), 0, out=x),
    "mean": lambda x: xp.mean(xp.ones((2, 4)), 0, out=x),
    "nanmean": lambda x: xp.nanmean(xp.ones((2, 4)), 0, out=x),
    "nanstd": lambda x: xp.nanstd(xp.arange(8.0).reshape(2, 4), 0, out=x),
    "ptp": lambda x: xp.ptp(xp.arange(8.0).reshape(2, 4), 0, out=x),
    "median": lambda x: xp.median(xp.ones((2, 4)), 0, out=x),
    "quantile": lambda x: xp.quantile(xp.ones((2, 4)), 0.5, 0, out=x),
    "take": lambda x: xp.take(xp.ones(4), [0, 1, 2, 3], out=x),
    "round": lambda x: xp.round(xp.ones(4), 1, out=x),
    "einsum": lambda x: xp.einsum("i->i", xp.ones(4), out=x),
    "choose": lambda x: xp.choose([0, 0, 0, 0], [1, 2], out=x),
    "compress": lambda x: xp.compress([1, 1, 1, 1], xp.ones(4), out=x),
    "concatenate": lambda x: xp.concatenate([xp.ones(4)], out=x),
    "dot": lambda x: xp.dot(xp.ones((4, 4)), xp.ones(4), out=x),
    "cumsum": lambda x: xp.cumsum(xp.ones(4), out=x),
    "random": lambda x: xp.random.default_rng(1).random(out=x),
    "normal": lambda x: xp.random.default_rng(1).standard_normal(out=x),
    "multi_dot": lambda x: xp.linalg.multi_dot([xp.ones((4, 4)), xp.ones(4)], out=x),
}


@needs_heddle
@pytest.mark.parametrize("make", [np.zeros, lambda n: array.array("d", [0.0] * n), lambda n: [0.0] * n, lambda n: memoryview(bytearray(8 * n))],
                         ids=["numpy", "array", "list", "memoryview"])
@pytest.mark.parametrize("name", OUT)
def test_out__of_others_is_written_or_refused(name, make):
    x = make(4)
    before = list(x)
    try:
        OUT[name](x)
    except TypeError:
        return
    assert list(x) != before


@shares_memory
def test_destination__read_only_is_refused():
    x = np.arange(3.0)
    x.flags.writeable = False
    for change in (lambda: xp.put(x, [0], 1), lambda: xp.putmask(x, [True] * 3, 1), lambda: xp.nan_to_num(x, copy=False)):
        with pytest.raises(ValueError):
            change()


# ---- NumPy's functions given ours ----------------------------------------------------------------


@pytest.mark.parametrize("mine", [True, False], ids=["ours", "numpys"])
@pytest.mark.parametrize("mask_mine", [True, False], ids=["ours", "numpys"])
@pytest.mark.parametrize("out_mine", [True, False], ids=["ours", "numpys"])
def test_numpys_ufunc__out_and_where_of_either(mine, mask_mine, out_mine):
    x = xp.arange(4.0) if mine else np.arange(4.0)
    mask = x != 0
    mask = xp.asarray(mask) if mask_mine else np.asarray(mask)
    out = (xp if out_mine else np).full(4, 7.0)
    r = np.divide(x, x, out=out, where=mask)
    assert np.asarray(r).tolist() == np.asarray(out).tolist() == [7.0, 1.0, 1.0, 1.0]


def test_numpys_ufunc__methods_of_either():
    x, mask = np.arange(4.0), xp.arange(4) > 1
    assert float(np.add.reduce(x, where=mask)) == 5.0 == float(np.add.reduce(xp.arange(4.0), where=np.asarray(mask)))
    np.add.at(x, xp.asarray([0, 0]), xp.asarray([1.0, 2.0]))
    assert x.tolist() == [3.0, 1.0, 2.0, 3.0]
    assert np.add.reduceat(x, xp.asarray([0, 2])).tolist() == [4.0, 5.0]


# ---- sums of nothing but -0.0 --------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_sum__of_one_minus_zero_is_zero(dtype):
    for f in (lambda m: m.full(1, -0.0, dtype).sum(), lambda m: m.full((3, 1), -0.0, dtype).sum(1), lambda m: m.full((1, 3), -0.0, dtype).sum(0),
              lambda m: m.full((3, 1), -0.0, dtype) @ m.full((1, 3), 1, dtype), lambda m: m.vdot(m.full(1, -0.0, dtype), m.full(1, 1, dtype)),
              lambda m: m.full((3, 2), -0.0, dtype).sum(1), lambda m: m.full(1, -0.0, dtype).max(), lambda m: m.trace(m.full((1, 1), -0.0, dtype)),
              lambda m: m.dot(m.full(1, -0.0, dtype), m.full(1, 1, dtype)), lambda m: m.add.reduce(m.full((3, 1), -0.0, dtype), 1)):
        want, got = (np.signbit(np.asarray(f(m)).real).tolist() for m in (np, xp))
        assert want == got


# ---- the rest ------------------------------------------------------------------------------------


@needs_heddle
def test_clip__one_bound_by_position():
    x = xp.arange(4)
    for bounds, named, want in (((1,), {}, [1, 1, 2, 3]), ((), {"a_min": 2}, [2, 2, 2, 3]), ((), {"a_max": 1}, [0, 1, 1, 1]),
                                ((1,), {"max": 2}, [1, 1, 2, 2]), ((None,), {}, [0, 1, 2, 3])):
        assert xp.clip(x, *bounds, **named).tolist() == want
    with pytest.raises(ValueError):
        xp.clip(x, 1, min=0)
    with pytest.raises(ValueError):
        xp.clip(x, 1, 2, max=3)


@needs_heddle
def test_namespace_info__is_numpys():
    info, theirs = xp.__array_namespace_info__(), np.__array_namespace_info__()
    assert info.capabilities() == theirs.capabilities() and info.default_dtypes() == theirs.default_dtypes()
    for kind in (None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric",
                 ("bool", "real floating"), ()):
        assert {k: np.dtype(v) for k, v in theirs.dtypes(kind=kind).items()} == info.dtypes(kind=kind)
    assert "cpu" in info.devices() and info.default_device() in info.devices()
    assert info.dtypes(device=info.default_device()) == info.dtypes()
    with pytest.raises(ValueError):
        info.dtypes(kind="float")
    with pytest.raises(ValueError, match="nowhere"):
        info.dtypes(device="nowhere")
    assert xp.__array_api_version__ == "2024.12"


def test_shared_results__are_tuples():
    x = xp.arange(3)
    assert type(xp.broadcast_arrays(x, 1)) is tuple and type(xp.meshgrid(x, x)) is tuple
    assert NUMPY < "2.5.0" or type(xp.meshgrid(x, x, sparse=True, copy=False)) is tuple


@needs_heddle
def test_fftfreq__of_a_dtype():
    assert xp.fft.fftfreq(4, dtype=np.float32).dtype == np.float32 and xp.fft.rfftfreq(5, 0.5, dtype="c8").dtype == np.complex64
    assert xp.fft.fftfreq(4, dtype="f4").tolist() == np.fft.fftfreq(4).tolist()
    with pytest.raises(ValueError):
        xp.fft.fftfreq(4, dtype=int)


@needs_heddle
def test_fftn__lengths_without_axes_are_of_the_last_ones():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        r = xp.fft.fftn(xp.ones((2, 3)), s=(4,))
    assert np.allclose(np.asarray(r), np.fft.fftn(np.ones((2, 3)), (4,), (-1,)))


@needs_heddle
def test_messages__of_wrong_outputs_name_the_shapes():
    for f in (lambda o: xp.mean(xp.ones(4), out=o), lambda o: xp.take(xp.ones(4), 1, out=o), lambda o: xp.einsum("i->", xp.ones(4), out=o)):
        with pytest.raises(ValueError, match=r"\(2, ?3\).*\(\)"):
            f(xp.zeros((2, 3)))
    with pytest.raises(TypeError, match="list"):
        xp.putmask([1, 2], [True, False], 0)
    with pytest.raises(TypeError, match="dl_device.*5"):
        xp.arange(3).__dlpack__(dl_device=5)


def test_operands__exceptions_of_their_own_are_kept():
    class Bad:
        def __array__(self, *args, **kwargs):
            raise KeyError("mine")
    with pytest.raises(KeyError):
        Bad() in xp.arange(3.0)
    with pytest.raises(KeyError):
        xp.arange(3.0) == Bad()


@needs_heddle
def test_operands__sequence_that_knows_better_is_asked():
    class Opaque:
        def __getitem__(self, k):
            return k

        def __radd__(self, other):
            return "own"
    assert (xp.arange(3.0) + Opaque()).tolist() == ["own"] * 3   # element by element, as by NumPy
