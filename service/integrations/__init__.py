"""The integration proxy: named endpoints of vendors, behind one envelope."""
